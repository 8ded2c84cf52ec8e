/**
 * A registry of npm packages on loopback that has what is installed in this checkout, and nothing else: so that npm itself can install
 * our package for a user, with its real dependencies, on a machine without a network.
 */
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const INSTALLED = inProject("node_modules")
const { packages: LOCKED } = JSON.parse(readFileSync(inProject("package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, Manifest | undefined>>
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Some versions of npm also ask for these, and do without them. */
const OPTIONAL: ReadonlySet<string> = new Set(
  Object.values(LOCKED).flatMap((one) => [
    ...Object.entries(one?.peerDependenciesMeta ?? {}).flatMap(([name, { optional }]) =>
      optional === true ? [name] : []
    ),
    ...Object.keys(one?.optionalDependencies ?? {})
  ])
)

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest

/** As it was published: without what its install script or npm has put there. Not compressed, which npm does not mind. */
const archive = (folder: string): Buffer =>
  execFileSync(
    "tar",
    ["--create", "--exclude=./node_modules", "--exclude=./bin/node", String.raw`--transform=s,^\.,package,`, "."],
    { cwd: folder, maxBuffer: 512 * 1024 * 1024 }
  )

/** What the install script of the package `node` asks for: the executable of this platform. */
const executablePackage = (scratch: string): string => {
  const { version } = manifestIn(join(INSTALLED, "node"))
  const folder = join(scratch, "executable")
  mkdirSync(join(folder, "bin"), { recursive: true })
  const name = `${process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"}-${process.platform}-${process.arch}`
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, bin: { node: "bin/executable" } }))
  linkSync(join(INSTALLED, "node/bin/node"), join(folder, "bin/executable"))
  return folder
}

/** Those that nothing of ours imports, such as the peers of a dependency, are not installed here: they have nothing in them. */
const emptyPackage = (scratch: string, name: string): string | undefined => {
  const known = LOCKED[`node_modules/${name}`]
  if (known === undefined) return undefined
  const folder = join(scratch, "empty", name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: known.version }))
  return folder
}

/** Its address. What it was asked for, and did not have, is in `missing`. */
export const npmRegistry = Effect.fnUntraced(function* (scratch: string) {
  const executable = executablePackage(scratch)
  const missing: Array<string> = []
  const archives = new Map<string, Buffer>()
  const folderOf = (name: string): string | undefined => {
    if (name === manifestIn(executable).name) return executable
    const folder = join(INSTALLED, name)
    return existsSync(folder) ? folder : emptyPackage(scratch, name)
  }

  const about = (name: string, folder: string, origin: string) => {
    const bytes = archives.get(name) ?? archive(folder)
    archives.set(name, bytes)
    const manifest = manifestIn(folder)
    const dist = {
      tarball: `${origin}/-/${encodeURIComponent(name)}.tgz`,
      integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`
    }
    return {
      name,
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } }
    }
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname).slice(1)
    const archived = /^-\/(.+)\.tgz$/.exec(path)?.[1]
    if (archived !== undefined) return void response.end(archives.get(archived))
    const folder = /^(?:@[\w.-]+\/)?[\w.-]+$/.test(path) ? folderOf(path) : undefined
    if (folder !== undefined) {
      response.setHeader("content-type", "application/json")
      return void response.end(JSON.stringify(about(path, folder, `http://${request.headers.host}`)))
    }
    if (!OPTIONAL.has(path)) missing.push(path)
    response.writeHead(404).end("{}")
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, missing }
})
