/**
 * `npm run test:coverage`: runs the tests, and counts what runs of `src`: in the processes of vitest, in each program that a test starts,
 * and in the page in its browser. Prints what is covered of each wing, and exits with 1 below the thresholds.
 */
import { mergeScriptCovs } from "@bcoe/v8-coverage"
import { convert } from "ast-v8-to-istanbul"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseAstAsync } from "vite"
import { filesBelow, inProject } from "./publish.ts"

const THRESHOLDS = { lines: 95, branches: 90 } as const
const PROJECTS = ["unit", "integration", "e2e", "alone", "more-programs", "ui"]

/** Where programs and pages write what ran in them; named by this variable, for which builds have source maps, too. */
const VARIABLE = "MCP_LIVE_COVERAGE"
const RAW = inProject(".build/coverage")
const REPORT = inProject("coverage/coverage-final.json")
const NOT_COVERED = inProject("coverage/not-covered.txt")

// ---- the format of istanbul ----------------------------------------------------------------------------------------

interface Place {
  readonly start: { readonly line: number; readonly column: number | null }
}
interface FileCoverage {
  readonly statementMap: Readonly<Record<string, Place>>
  readonly branchMap: Readonly<Record<string, { readonly type: string; readonly loc: Place }>>
  readonly s: Readonly<Record<string, number>>
  readonly b: Readonly<Record<string, ReadonlyArray<number>>>
}
/** By the path of a source. */
type Coverage = Readonly<Record<string, FileCoverage>>

// ---- what V8 has counted -------------------------------------------------------------------------------------------

type Script = Parameters<typeof mergeScriptCovs>[0][number]

/** The built file that a script is, if it is one of ours; the page is served under an address of its own. */
const builtFileOf = (url: string): string | undefined => {
  const built = inProject("dist/program")
  if (url.startsWith("file:")) {
    const path = fileURLToPath(url)
    return dirname(path) === built ? path : undefined
  }
  const ofPage = /^https?:\/\/[^/]+\/.*\bassets\/[^/?#]+\.js$/.test(url)
  const path = ofPage ? inProject(`dist/page/assets/${basename(new URL(url).pathname)}`) : ""
  return existsSync(path) ? path : undefined
}

/** Each built file, with all that ran of it. */
const counted = (): ReadonlyMap<string, Script> => {
  const scripts = new Map<string, Script>()
  for (const name of filesBelow(RAW)) {
    let text: string
    try {
      text = readFileSync(join(RAW, name), "utf8")
      JSON.parse(text)
    } catch {
      // Its process was killed while it wrote.
      continue
    }
    const { result } = JSON.parse(text) as { readonly result: ReadonlyArray<Script> }
    for (const script of result) {
      const file = builtFileOf(script.url)
      if (file === undefined) continue
      const known = scripts.get(file)
      const merged = known === undefined ? script : mergeScriptCovs([known, script])
      if (merged !== undefined) scripts.set(file, { ...merged, url: file })
    }
  }
  return scripts
}

/** Vite names the sources of the page as if it were built beside them. */
const folderOfSources = (file: string): string =>
  file.startsWith(inProject("dist/page")) ? inProject("src/programs/ui/page/dist/assets") : dirname(file)

const converted = async (file: string, coverage: Script): Promise<Coverage> => {
  const code = readFileSync(file, "utf8")
  const sourceMap = JSON.parse(readFileSync(`${file}.map`, "utf8"))
  const sources = (sourceMap.sources as ReadonlyArray<string>).map((source) => join(folderOfSources(file), source))
  return (await convert({
    ast: parseAstAsync(code),
    code,
    wrapperLength: 0,
    coverage: { ...coverage, url: `file://${file}` },
    sourceMap: { ...sourceMap, sources }
  } as never)) as unknown as Coverage
}

// ---- together ------------------------------------------------------------------------------------------------------

/** How often each line of a file has run, and each way of its branches. */
interface Counts {
  readonly lines: Map<number, number>
  readonly branches: Map<string, Array<number>>
}

const countsOf = ({ b, branchMap, s, statementMap }: FileCoverage): Counts => {
  const lines = new Map<number, number>()
  for (const [id, { start }] of Object.entries(statementMap)) {
    lines.set(start.line, Math.max(lines.get(start.line) ?? 0, s[id]!))
  }
  const branches = Object.entries(branchMap).map(
    ([id, { loc, type }]) => [`${type} ${loc.start.line}:${loc.start.column}`, [...b[id]!]] as const
  )
  return { lines, branches: new Map(branches) }
}

/** Adds what was counted elsewhere. Two compilers agree on where a line or a branch begins; what only one of them has is left out. */
const add = (to: Counts, from: Counts): void => {
  for (const [line, count] of from.lines) {
    const known = to.lines.get(line)
    if (known !== undefined) to.lines.set(line, known + count)
  }
  for (const [place, counts] of from.branches) {
    const known = to.branches.get(place)
    if (known?.length === counts.length) counts.forEach((count, way) => (known[way]! += count))
  }
}

interface Share {
  covered: number
  all: number
}
const makeShares = () => ({ lines: { covered: 0, all: 0 }, branches: { covered: 0, all: 0 } })
const percent = ({ all, covered }: Share) => (all === 0 ? 100 : (100 * covered) / all)

const into = (share: Share, counts: Iterable<number>): void => {
  for (const count of counts) {
    share.all++
    if (count > 0) share.covered++
  }
}

/** Of each wing, and of all. */
const sharesOf = (files: ReadonlyMap<string, Counts>) => {
  const all = makeShares()
  const wings = new Map<string, typeof all>()
  for (const [path, counts] of files) {
    const [room = "", wing] = relative(inProject("src"), path).split(/[\\/]/)
    const name = wing === undefined || wing.includes(".") ? room : `${room}/${wing}`
    const own = wings.get(name) ?? makeShares()
    wings.set(name, own)
    for (const { branches, lines } of [own, all]) {
      into(lines, counts.lines.values())
      into(branches, [...counts.branches.values()].flat())
    }
  }
  return { all, wings }
}

/** For whoever looks for what is not tested. */
const notCovered = (files: ReadonlyMap<string, Counts>): string =>
  [...files]
    .flatMap(([path, { branches, lines }]) => {
      const places = [...branches].filter(([, counts]) => counts.includes(0)).map(([place]) => place)
      const missing = [...lines].filter(([, count]) => count === 0).map(([line]) => line)
      return missing.length + places.length === 0
        ? []
        : [`${relative(inProject("."), path)}\n  lines ${missing.join(" ")}\n  branches ${places.join(", ")}\n`]
    })
    .toSorted()
    .join("")

// ---- the run -------------------------------------------------------------------------------------------------------

for (const path of [RAW, dirname(REPORT)]) rmSync(path, { recursive: true, force: true })
const projects = PROJECTS.flatMap((name) => ["--project", name])
const { status } = spawnSync(
  process.execPath,
  [inProject("node_modules/vitest/vitest.mjs"), "run", ...projects, "--coverage", ...process.argv.slice(2)],
  { stdio: "inherit", env: { ...process.env, [VARIABLE]: RAW } }
)

const report = JSON.parse(readFileSync(REPORT, "utf8")) as Coverage
const files = new Map(Object.entries(report).map(([path, coverage]) => [path, countsOf(coverage)]))
for (const [file, script] of counted()) {
  for (const [path, coverage] of Object.entries(await converted(file, script))) {
    const known = files.get(path)
    if (known !== undefined) add(known, countsOf(coverage))
  }
}
writeFileSync(NOT_COVERED, notCovered(files))

const { all, wings } = sharesOf(files)
const row = (name: string, { branches, lines }: typeof all) =>
  `${name.padEnd(28)} lines ${percent(lines).toFixed(1)} %   branches ${percent(branches).toFixed(1)} %`
for (const [name, shares] of [...wings].toSorted(([a], [b]) => a.localeCompare(b))) console.log(row(name, shares))
console.log(`${row("all", all)}\nWhat is not covered is in ${relative(inProject("."), NOT_COVERED)}.`)
const isBelow = percent(all.lines) < THRESHOLDS.lines || percent(all.branches) < THRESHOLDS.branches
if (isBelow) {
  console.error(`At least ${THRESHOLDS.lines} % of lines and ${THRESHOLDS.branches} % of branches have to be covered.`)
}
process.exitCode = status === 0 && !isBelow ? 0 : 1
