/**
 * Builds everything in `dist`: the library, the program, the page, the plugin for OpenClaw. With `--if-changed` only when a source has
 * changed since the last build. Programs that run meanwhile keep running.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { filesBelow, forCoverage, inProject, publish } from "./publish.ts"

/** What the library is built into first; the compiler keeps notes there, so that the next time is faster. */
const LIBRARY = inProject(".build/library")
const BUILT = inProject(".build/built")
const PROGRAM = inProject("dist/program/main.js")
const SOURCES = ["src", "scripts", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"]

const digest = () => {
  const hash = createHash("sha256").update(String(forCoverage))
  for (const source of SOURCES.map(inProject)) {
    const files = statSync(source).isFile() ? [source] : filesBelow(source).map((path) => join(source, path))
    for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(file)).update("\0")
  }
  return hash.digest("hex")
}

/** The same for everybody: tests run builds, too, and have a NODE_ENV of their own. */
const env = { ...process.env, NODE_ENV: "production" }
const node = (...args) => execFileSync(process.execPath, args, { stdio: "inherit", env })

const isLibrary = (path) => !/^(?:program|openclaw-plugin|page)[\\/]/.test(path)

const build = () => {
  node(inProject("node_modules/typescript/bin/tsc"), "-p", inProject("tsconfig.build.json"))
  // What was built of a source that is gone is still there.
  const files = filesBelow(LIBRARY).filter((path) =>
    existsSync(inProject(`src/${path.replace(/\.(?:d\.ts|js)$/, ".ts")}`))
  )
  publish(
    inProject("dist"),
    files.map((path) => [path, readFileSync(join(LIBRARY, path))]),
    isLibrary
  )
  node(inProject("scripts/bundle-program.mjs"))
  node(inProject("scripts/bundle-plugin.mjs"))
  node(inProject("scripts/bundle-page.mjs"))
}

const now = digest()
const isBuilt = existsSync(PROGRAM) && existsSync(BUILT) && readFileSync(BUILT, "utf8") === now
if (!isBuilt || !process.argv.includes("--if-changed")) {
  build()
  writeFileSync(BUILT, now)
}
