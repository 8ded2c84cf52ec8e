/**
 * Programs as few files that are read quickly: what each of nine hundred modules costs to find is most of what a command
 * takes to start. What only some commands need is in parts of its own, read when it is needed.
 */
import { build } from "esbuild"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const inProject = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
export const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))

const { peerDependencies } = readJson(inProject("package.json"))

/** Whoever passes on the code of others passes on their licences. */
const licences = (inputs) => {
  const places = inputs.flatMap((path) => {
    const [, place] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
    return place === undefined ? [] : [place]
  })
  const notices = [...new Set(places)].toSorted().map((place) => {
    const root = inProject(place)
    const file = readdirSync(root).find((name) => /^licen[cs]e/i.test(name))
    const { license, name, version } = readJson(join(root, "package.json"))
    return `${name} ${version} (${license})\n\n${file === undefined ? "" : readFileSync(join(root, file), "utf8").trim()}`
  })
  return `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`
}

/** Makes `folder` anew, with a file for each of `entries`, by its name, and their parts. */
export const bundle = async ({ entries, folder, ...options }) => {
  const outdir = inProject(folder)
  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(outdir, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: inProject("."),
    entryPoints: entries,
    outdir,
    entryNames: "[name]",
    chunkNames: "part-[hash]",
    splitting: true,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    legalComments: "none",
    metafile: true,
    // Found where the program is, or not at all: they are wanted only by a reference or a model that needs them.
    external: [...Object.keys(peerDependencies), "ai", "@ai-sdk/openai-compatible"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
    },
    ...options
  })
  writeFileSync(join(outdir, "LICENSES.txt"), licences(Object.keys(metafile.inputs)))
  return outdir
}
