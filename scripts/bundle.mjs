/**
 * Programs as few files that are read quickly: what each of nine hundred modules costs to find is most of what a command
 * takes to start. What only some commands need is in parts of its own, read when it is needed.
 */
import { build } from "esbuild"
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { forCoverage, generationsOf, inProject, publish } from "./publish.ts"

const REQUIRE =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
/** Most programs that tests start are killed in the end, and write nothing then. */
const WRITES_COVERAGE = 'globalThis.__counted ??= setInterval(() => require("node:v8").takeCoverage(), 1000).unref();'

/** Names the parts of this build and of the one before. */
const PARTS = "parts.json"

export const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))

const { peerDependencies } = readJson(inProject("package.json"))

/** Whoever passes on the code of others passes on their licences. */
export const licences = (inputs) => {
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

/**
 * Takes `node:http` by a call. An import reads each of its exports, and one of them, `WebSocket`, loads an HTTP client that we have no use
 * for: that is more than all other modules of Node take together, in each start.
 */
const httpByCall = {
  name: "http-by-call",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: "by-call" }))
    onLoad({ filter: /.*/, namespace: "by-call" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
    }))
  }
}

/** What of undici we use. */
const UNDICI_EXPORTS = ["Agent", "WebSocket", "buildConnector", "fetch"]

/**
 * The HTTP client is a file of its own, `undici.js`, that the first request loads: it is the largest of all parts, and loads a third of
 * Node's modules, and most programs have servers over stdio alone. Loaded by a call and not by `import()`, because a connection is
 * opened within one turn.
 */
const undiciWhenUsed = {
  name: "undici-when-used",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^undici$/ }, ({ kind, namespace }) =>
      kind === "entry-point" || namespace === "undici-itself" ? undefined : { path: "undici", namespace: "when-used" }
    )
    onResolve({ filter: /^\.\/undici\.js$/, namespace: "when-used" }, ({ path }) => ({ path, external: true }))
    onLoad({ filter: /.*/, namespace: "when-used" }, () => ({
      // Each is called, with `new` or without.
      contents: UNDICI_EXPORTS.map(
        (name) =>
          `export function ${name}(...args) { const { ${name}: real } = require("./undici.js"); return new.target ? new real(...args) : real(...args) }`
      ).join("\n")
    }))
    onLoad({ filter: /.*/, namespace: "undici-itself" }, () => ({
      contents: `export { ${UNDICI_EXPORTS.join(", ")} } from "undici"`,
      resolveDir: inProject(".")
    }))
    onResolve({ filter: /^undici-itself$/ }, ({ path }) => ({ path, namespace: "undici-itself" }))
  }
}

/**
 * Builds a file in `folder` for each of `entries`, by its name, and their parts. With `keepsParts` the parts of the build
 * before stay: a program that runs may not have loaded all of its own yet. `more` are further files, by name.
 */
export const bundle = async ({ entries, folder, keepsParts = false, more = {}, ...options }) => {
  const outdir = inProject(folder)
  const { metafile, outputFiles } = await build({
    absWorkingDir: inProject("."),
    entryPoints: { ...entries, undici: "undici-itself" },
    outdir,
    entryNames: "[name]",
    chunkNames: "part-[hash]",
    splitting: true,
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node22",
    legalComments: "none",
    metafile: true,
    sourcemap: forCoverage ? "external" : false,
    plugins: [httpByCall, undiciWhenUsed],
    // Found where the program is, or not at all: they are wanted only by a reference or a model that needs them.
    external: [...Object.keys(peerDependencies), "ai", "@ai-sdk/openai-compatible"],
    banner: { js: forCoverage ? REQUIRE + WRITES_COVERAGE : REQUIRE },
    ...options
  })
  const made = outputFiles.map(({ contents, path }) => [relative(outdir, path), contents])
  const isPart = ([path]) => path.startsWith("part-")
  const parts = made.filter(isPart)
  const generations = keepsParts
    ? generationsOf(
        join(outdir, PARTS),
        parts.map(([path]) => path)
      )
    : undefined
  const files = [
    ...parts,
    ...Object.entries(more),
    ["LICENSES.txt", licences(Object.keys(metafile.inputs))],
    ...made.filter((file) => !isPart(file)),
    ...(generations === undefined ? [] : [[PARTS, JSON.stringify(generations)]])
  ]
  publish(outdir, files, (path) => generations?.before.includes(path) !== true)
}
