/**
 * Makes the plugin for OpenClaw: one folder that stands alone. OpenClaw copies the folder of a plugin each time that it
 * evaluates it, so there is no node_modules in it; and a gateway that starts reads a small file only, the rest is in parts
 * that are read when they are needed.
 */
import { build } from "esbuild"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const inProject = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const json = (path) => JSON.parse(readFileSync(path, "utf8"))

const { license, peerDependencies, version } = json(inProject("package.json"))
const folder = inProject("dist/openclaw-plugin")

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const { metafile } = await build({
  absWorkingDir: inProject("."),
  entryPoints: ["src/programs/openclawPlugin.ts"],
  outdir: folder,
  entryNames: "index",
  chunkNames: "part-[hash]",
  splitting: true,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  // Found where the plugin is, or not at all: as everywhere, they are wanted only by a reference or a model that needs them.
  external: [...Object.keys(peerDependencies), "ai", "@ai-sdk/openai-compatible"],
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
  }
})

writeFileSync(
  join(folder, "package.json"),
  `${JSON.stringify(
    {
      name: "mcp-live-openclaw-plugin",
      version,
      private: true,
      license,
      type: "module",
      openclaw: { extensions: ["./index.js"], compat: { pluginApi: ">=2026.9.0" } }
    },
    null,
    2
  )}\n`
)
writeFileSync(
  join(folder, "openclaw.plugin.json"),
  `${JSON.stringify({ ...json(inProject("src/programs/openclawPlugin/openclaw.plugin.json")), version }, null, 2)}\n`
)

/** Whoever passes on the code of others passes on their licences. */
const packages = [
  ...new Set(
    Object.keys(metafile.inputs).flatMap((path) => {
      const [, place] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
      return place === undefined ? [] : [place]
    })
  )
].toSorted()
const notices = packages.map((place) => {
  const root = inProject(place)
  const file = readdirSync(root).find((name) => /^licen[cs]e/i.test(name))
  const { license, name, version } = json(join(root, "package.json"))
  return `${name} ${version} (${license})\n\n${file === undefined ? "" : readFileSync(join(root, file), "utf8").trim()}`
})
writeFileSync(join(folder, "LICENSES.txt"), `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`)
