/**
 * Every local link of the documentation leads somewhere, every test that docs/security.md names is there, and so is every file and folder that
 * the pages about the code name.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(ROOT, "docs")).map((name) => join("docs", name))
].filter((name) => name.endsWith(".md"))
const read = (page) => readFileSync(join(ROOT, page), "utf8")

/** As GitHub makes them of headings. */
const anchorsOf = (text) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-")
  )

const brokenLinks = (page) =>
  [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([, path = "", anchor]) => {
    const target = path === "" ? page : join(dirname(page), path)
    if (!existsSync(join(ROOT, target))) return [`${page}: there is no ${target}`]
    if (anchor === undefined || !target.endsWith(".md") || anchorsOf(read(target)).includes(anchor)) return []
    return [`${page}: ${target} has no heading #${anchor}`]
  })

/** `a/{b,c}.test.ts` stands for two. */
const expanded = (path) => {
  const [, before, inner, after] = /^(.*)\{(.+)\}(.*)$/.exec(path) ?? []
  return inner === undefined ? [path] : inner.split(",").map((each) => `${before}${each}${after}`)
}

/** In a table row: paths of `test/`, or of the folder of the one before. */
const missingTests = (page) =>
  read(page)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .flatMap((line) => {
      let folder = ""
      return [...line.matchAll(/`([\w/{},-]+(?:\.test\.ts|\/))`/g)]
        .flatMap(([, path]) => expanded(path))
        .flatMap((path) => {
          const places = [path, join(folder, path), join(dirname(folder), path)].map((each) => join("test", each))
          const found = places.find((each) => existsSync(join(ROOT, each)))
          if (path.includes("/") && found !== undefined) folder = dirname(found).replace(/^test\/?/, "")
          return found === undefined ? [`${page}: there is no test ${path}`] : []
        })
    })

// ---- the pages about the code ----------------------------------------------------------------------------------------

const FOLDERS = ["src", "test", "scripts", "bench", "docs", "tools", "deploy", "examples"]
const NOT_OURS = /(?:^|[\\/])(?:node_modules|dist)[\\/]/

/** Each file and, with a slash at its end, each folder; all with a slash at the beginning. */
const everything = () =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).map((entry) => {
      const path = `/${relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/")}`
      return entry.isDirectory() ? `${path}/` : path
    })
  ).filter((path) => !NOT_OURS.test(path))

/** In code of a sentence: `supervise.ts`, `ServerPool/restart.ts`, `rpc/`. A path may leave out its beginning. */
const missingFiles = (pages) => {
  const there = [...everything(), ...FOLDERS.map((folder) => `/${folder}/`)]
  return pages.flatMap((page) =>
    [...read(page).matchAll(/`([A-Za-z0-9_./{},-]+(?:\.(?:tsx?|mjs)|\/))`/g)]
      .flatMap(([, path]) => expanded(path))
      .filter((path) => !there.some((each) => each.endsWith(`/${path}`)))
      .map((path) => `${page}: there is no ${path}`)
  )
}

const problems = [
  ...PAGES.flatMap(brokenLinks),
  ...missingTests("docs/security.md"),
  ...missingFiles(["docs/architecture.md", "CONTRIBUTING.md"])
]
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
