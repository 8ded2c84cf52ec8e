/**
 * Runs the official conformance suite against `client.ts` and `server.ts`: the frozen sets of both revisions, each on its own
 * wire. Scenarios run one by one in processes of their own, a few at a time: the suite itself would start a whole set at
 * once, and clients that share two cores with forty others run out of time.
 *
 *   npm run conformance                      everything; the figures go to docs/conformance.md
 *   npm run conformance -- tools_call http-  scenarios whose names begin so
 *   npm run conformance -- --leg server      one side alone: client, server, or "server, logged in" (the same with access tokens of an issuer)
 *   npm run conformance -- --jobs 4 --keep   more at a time; keeps what each program said
 *
 * Fails when a scenario does that is not in expected-failures.yml, and when one passes that is.
 */
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const REVISIONS = ["2025-11-25", "2026-07-28"]
const LEGS = ["client", "server", "server, logged in"]

/** Of an earlier revision, and in no set: what a client does that meets a server whose authorization is as in 2025-03-26. */
const OLDER = [
  ["auth/2025-03-26-oauth-metadata-backcompat", "2025-11-25"],
  ["auth/2025-03-26-oauth-endpoint-fallback", "2025-11-25"]
]
const TIMEOUT_MS = 60_000

const here = dirname(fileURLToPath(import.meta.url))
const docs = join(here, "../../docs/conformance.md")
const suite = join(here, "node_modules/@modelcontextprotocol/conformance")

const { positionals: prefixes, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: "string", default: "2" },
    keep: { type: "boolean", default: false },
    leg: { type: "string" }
  }
})

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"))

/** The pinned suite, installed when it is not there or another one. */
const install = () => {
  const wanted = readJson(join(here, "package.json")).devDependencies["@modelcontextprotocol/conformance"]
  const file = join(suite, "package.json")
  if (existsSync(file) && readJson(file).version === wanted) return wanted
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" })
  return wanted
}

// ---- what there is to run ------------------------------------------------------------------------------------------

/** What the suite calls it. */
const sideOf = (leg) => leg.split(",", 1)[0]

/** The scenarios of a revision: those that are scored, and those that are only reported. */
const scenariosOf = (revision, parse) => {
  const requirements = parse(readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8"))
  return LEGS.flatMap((leg) => {
    const side = sideOf(leg)
    const older = OLDER.filter(([, wire]) => side === "client" && wire === revision).map(([name]) => name)
    const others = requirements.not_scored.filter((one) => one.leg === side).map(({ scenario }) => scenario)
    return [
      ...requirements[side].map((name) => [name, true]),
      ...[...others, ...older].map((name) => [name, false])
    ].map(([name, scored]) => ({ revision, leg, name, scored }))
  })
}

// ---- one scenario --------------------------------------------------------------------------------------------------

const run = (command, args, environment) =>
  new Promise((resolve) => {
    const settings = { cwd: here, env: { ...process.env, ...environment }, maxBuffer: 64 * 1024 * 1024 }
    execFile(command, args, settings, (error, stdout, stderr) => resolve({ passed: error === null, stdout, stderr }))
  })

const readText = (folder, file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : "")

/** Our server, for as long as scenarios are run against it. */
const startServer = async (leg) => {
  const args = leg === "server" ? ["server.ts"] : ["server.ts", "--login"]
  const child = spawn(process.execPath, args, { cwd: here, stdio: ["pipe", "pipe", "inherit"] })
  const [address] = await once(child.stdout, "data")
  return { url: String(address).trim(), stop: () => child.stdin.end() }
}

const CLIENT = ["--command=node client.ts"]

/** What the suite found: every check that is a verdict, and what the program under test said. */
const runScenario = async ({ leg, name, revision, scored }, output, url) => {
  const folder = mkdtempSync(join(output, "scenario-"))
  const { passed, stderr } = await run(
    process.execPath,
    [
      join(suite, "dist/index.js"),
      sideOf(leg),
      ...(leg === "client" ? CLIENT : [`--url=${url}`]),
      `--scenario=${name}`,
      `--spec-version=${revision}`,
      "--force",
      `--timeout=${TIMEOUT_MS}`,
      `--output-dir=${folder}`
    ],
    // The suite looks for `node` by itself; any other may not run TypeScript.
    { PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` }
  )
  // `auth/…` has a folder of its own.
  const results = readdirSync(folder, { recursive: true }).find((file) => file.endsWith("checks.json"))
  const at = results === undefined ? folder : dirname(join(folder, results))
  const checks = results === undefined ? [] : readJson(join(folder, results))
  const failures = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
  const successes = checks.filter(({ status }) => status === "SUCCESS")
  // Its own words, when it did not come so far as to have the client say any.
  const said = results === undefined ? stderr : readText(at, "stderr.txt")
  return { leg, name, revision, scored, passed, failures, checked: successes.length + failures.length, said }
}

/** Runs tasks in order, so many at a time. */
const inTurns = async (tasks, width) => {
  const results = []
  const queue = tasks.entries()
  const worker = async () => {
    for (const [index, task] of queue) results[index] = await task()
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

// ---- what came of it -----------------------------------------------------------------------------------------------

const VERDICTS = {
  passed: "passed",
  expected: "failed, as expected",
  failed: "FAILED",
  stale: "PASSED, THOUGH EXPECTED TO FAIL"
}

const judge = (result, expected) => {
  const reason = expected[result.revision]?.[result.name]
  const known = reason !== undefined
  const verdict = result.passed ? (known ? "stale" : "passed") : known ? "expected" : "failed"
  return { ...result, reason, verdict }
}

const lineOf = ({ checked, failures, leg, name, revision, scored, verdict }) =>
  [
    revision,
    leg,
    name.padEnd(40),
    scored ? "scored " : "visible",
    `${checked - failures.length}/${checked}`.padStart(7),
    VERDICTS[verdict]
  ].join("  ")

const count = (results, holds) => results.filter(holds).length

const ofSet = (results, revision, leg) => results.filter((one) => one.revision === revision && one.leg === leg)

/** One line of the table of figures for a set. */
const figuresOf = (revision, leg, results) => {
  const of = ofSet(results, revision, leg)
  const scored = of.filter((result) => result.scored)
  const others = of.filter((result) => !result.scored)
  const checks = of.filter(({ verdict }) => verdict === "passed").reduce((sum, { checked }) => sum + checked, 0)
  const passed = (list) => `${count(list, ({ passed }) => passed)} of ${list.length}`
  const failed = count(of, ({ verdict }) => verdict === "expected")
  return `| ${revision} | ${leg} | ${passed(scored)} | ${passed(others)} | ${failed} | ${checks} |`
}

/** Lists of names, one for each reason. */
const reasonsOf = (results) => {
  const byReason = Map.groupBy(
    results.filter(({ verdict }) => verdict === "expected"),
    ({ reason }) => reason
  )
  return [...byReason].map(([reason, list]) => {
    const names = [...new Set(list.map(({ name }) => `\`${name}\``))]
    return `- ${reason}: ${names.join(", ")}`
  })
}

const [BEGIN, END] = ["<!-- figures -->", "<!-- /figures -->"]

const writeFigures = (version, results) => {
  const reasons = reasonsOf(results)
  const figures = [
    `Suite ${version}.`,
    "",
    "| set | side | scored scenarios passed | unscored passed | expected failures | checks in what passed |",
    "| --- | --- | --- | --- | --- | --- |",
    ...REVISIONS.flatMap((revision) => LEGS.map((leg) => figuresOf(revision, leg, results))),
    "",
    ...(reasons.length === 0 ? ["No failure is expected."] : ["Expected failures:", "", ...reasons])
  ].join("\n")
  const page = readFileSync(docs, "utf8")
  const [before] = page.split(BEGIN)
  const after = page.split(END)[1]
  writeFileSync(docs, `${before}${BEGIN}\n\n${figures}\n\n${END}${after}`)
}

// ---- all of it -----------------------------------------------------------------------------------------------------

const version = install()
const { parse } = await import("yaml")
const expected = parse(readFileSync(join(here, "expected-failures.yml"), "utf8"))
const all = REVISIONS.flatMap((revision) => scenariosOf(revision, parse))
const isChosen = ({ leg, name }) =>
  (options.leg === undefined || options.leg === leg) &&
  (prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)))
const chosen = all.filter(isChosen)

const unknown = REVISIONS.flatMap((revision) =>
  Object.keys(expected[revision] ?? {}).filter(
    (name) => !all.some((one) => one.revision === revision && one.name === name)
  )
)
const output = mkdtempSync(join(tmpdir(), "mcp-live-conformance-"))
const servers = new Map()
for (const leg of new Set(chosen.map(({ leg }) => leg))) {
  if (sideOf(leg) === "server") servers.set(leg, await startServer(leg))
}
const results = await inTurns(
  chosen.map((scenario) => async () => {
    const result = judge(await runScenario(scenario, output, servers.get(scenario.leg)?.url), expected)
    console.log(lineOf(result))
    return result
  }),
  Math.max(1, Number(options.jobs) || 1)
)
for (const server of servers.values()) server.stop()

const wrong = results.filter(({ verdict }) => verdict === "failed" || verdict === "stale")
for (const { failures, name, revision, said, verdict } of wrong) {
  if (verdict === "stale") continue
  console.log(`\n${revision} ${name}`)
  for (const { description, errorMessage, id } of failures) console.log(`  ${id}: ${errorMessage ?? description}`)
  for (const line of said.split("\n").slice(-20)) console.log(`  | ${line.slice(0, 400)}`)
}
for (const name of unknown) console.log(`\nexpected-failures.yml names ${name}, which is no scenario of that revision`)

if (options.keep) console.log(`\nwhat each program said: ${output}`)
else rmSync(output, { recursive: true, force: true })

console.log()
for (const [revision, leg] of REVISIONS.flatMap((one) => LEGS.map((side) => [one, side]))) {
  const scored = ofSet(results, revision, leg).filter((result) => result.scored)
  const passed = count(scored, (result) => result.passed)
  const expectedly = count(scored, ({ verdict }) => verdict === "expected")
  console.log(`${revision} ${leg}: ${passed} of ${scored.length} scored scenarios pass, ${expectedly} fail as expected`)
}
if (prefixes.length === 0 && options.leg === undefined && wrong.length === 0) writeFigures(version, results)
process.exitCode = wrong.length > 0 || unknown.length > 0 || results.length === 0 ? 1 : 0
