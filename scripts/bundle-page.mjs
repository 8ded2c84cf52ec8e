/**
 * Makes the page: static files with hashed names, and nothing inline, because the gateway's content security policy forbids it.
 * Prints the size of everything the page can load, compressed, and fails above the limit.
 */
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "vite"
import { licences } from "./bundle.mjs"
import { forCoverage, generationsOf, inProject, publish } from "./publish.ts"

const MAX_BYTES = 250_000
const FOLDER = inProject("dist/page")
const PARTS = "parts.json"

/** The contract's schemas share files with what only Node does. None of that may be left in the page, which has no Node. */
const notOfNode = {
  name: "not-of-node",
  enforce: "pre",
  resolveId: (id) => (id.startsWith("node:") ? { id, external: true, moduleSideEffects: false } : null)
}

const result = await build({
  plugins: [notOfNode],
  root: inProject("src/programs/ui/page"),
  configFile: false,
  logLevel: "warn",
  // Addresses of files are relative: the page does not know where it is served.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    write: false,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    ...(forCoverage && { sourcemap: "hidden", minify: false }),
    rolldownOptions: {
      output: { entryFileNames: "assets/[name]-[hash].js", chunkFileNames: "assets/[name]-[hash].js" }
    }
  }
})

const { output } = [result].flat()[0]
for (const { code = "", fileName } of output) {
  const [, foreign] = /\b(?:from|import)\s*\(?\s*["'`](node:[^"'`]+)/.exec(code) ?? []
  if (foreign !== undefined) throw new Error(`${fileName} needs ${foreign}, which no browser has`)
}
const made = output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source])
const html = String(made.find(([name]) => name === "index.html")[1])
const inline = /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:/i.exec(html)
if (inline !== null) throw new Error(`index.html has something inline: ${inline[0]}`)

const bytes = made.reduce((sum, [, contents]) => sum + gzipSync(contents, { level: 9 }).length, 0)
const kilobytes = (count) => `${(count / 1_000).toFixed(1)} kB`
if (bytes > MAX_BYTES && !forCoverage)
  throw new Error(`the page takes ${kilobytes(bytes)} compressed, and may take ${kilobytes(MAX_BYTES)}`)
console.log(`page: ${made.length} files, ${kilobytes(bytes)} compressed`)

/** What a page that is open now may still load is that of the build before. */
const parts = made.map(([name]) => name).filter((name) => name.startsWith("assets/"))
const generations = generationsOf(join(FOLDER, PARTS), parts)
const modules = output.flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []))
const isPart = ([name]) => name.startsWith("assets/")
publish(
  FOLDER,
  [
    ...made.filter(isPart),
    ["LICENSES.txt", licences(modules.map((path) => path.replace(inProject(""), "")))],
    ...made.filter((file) => !isPart(file)),
    [PARTS, JSON.stringify(generations)]
  ],
  (path) => !generations.before.includes(path)
)
