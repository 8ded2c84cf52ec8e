import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { AUDIT_CURRENT } from "../../src/schemas/call/AuditFiles.ts"
import { parseAuditLine } from "../../src/schemas/call/AuditRecord.ts"
import { personIdOf } from "../../src/schemas/login/Identity.ts"
import type { AuditSummary } from "../../src/programs/cli/audit/summary.ts"
import { serverPath } from "../fixtures/servers.ts"
import { asLines, auditCall, auditFinding } from "../support/auditRecords.ts"
import { runHere } from "./here.ts"
import { configFile, run, start } from "./program.ts"
import { isFull } from "../support/full.ts"

/** A data directory of its own, and a configuration with one real server. */
const scene = Effect.gen(function* () {
  const file = yield* configFile({
    mcpServers: { everything: { command: process.execPath, args: [serverPath("everything"), "stdio"] } }
  })
  const home = join(dirname(file), "home")
  const directory = join(home, "audit")
  const current = join(directory, AUDIT_CURRENT)
  const env = { MCP_LIVE_HOME: home }
  const audit = (...args: ReadonlyArray<string>) => runHere(["audit", ...args], { env })
  /** By a process of its own. */
  const call = (...args: ReadonlyArray<string>) => run(["call", ...args, "--config", file], { env })
  const written = (text: string) => {
    mkdirSync(directory, { recursive: true })
    writeFileSync(current, text)
  }
  return { env, directory, current, audit, call, written }
})

const recordsIn = (stdout: string) => stdout.trimEnd().split("\n").map(parseAuditLine)

describe("mcp-live audit", () => {
  it.live("shows what other runs of the program have called, and says when that was nothing", () =>
    Effect.gen(function* () {
      const { audit, call, directory, env } = yield* scene
      const before = yield* audit()
      assert.deepStrictEqual(
        [before.code, before.stdout, before.stderr],
        [0, "", `mcp-live: no calls are recorded yet in ${directory}\n`]
      )
      yield* call("mcp_everything_echo", "message=a-value-of-the-model")
      yield* call("mcp_everything_nope")
      const { code, stderr, stdout } = yield* run(["audit"], { env })
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      assert.match(
        stdout,
        /^TIME +AGENT +SERVER +TOOL +OUTCOME +MS +CHARS +ABOUT\n.* main \(.+\) +everything +echo +ok +\d+ +\d+ +\{message: string\(20\)\}\n.* main \(.+\) +- +mcp_everything_nope +ToolNotFound .*\n$/
      )
      assert.notInclude(stdout, "a-value-of-the-model")
      const lines = recordsIn((yield* audit("--json", "--outcome", "ok")).stdout)
      assert.deepStrictEqual(
        lines.map((line) => line?.kind === "call" && [line.server, line.tool]),
        [["everything", "echo"]]
      )
    }).pipe(Effect.scoped)
  )

  it.live("takes filters, and the newest of many; damaged lines are counted", () =>
    Effect.gen(function* () {
      const { audit, written } = yield* scene
      const many = Array.from({ length: 120 }, (_, n) =>
        auditCall(n, { tool: `tool_${n}`, server: n < 100 ? "a" : "b" })
      )
      written(`{"torn\n${asLines([...many.toReversed(), auditFinding(500)])}`)
      const all = yield* audit("--json")
      assert.strictEqual(all.stderr, "mcp-live: damaged lines, skipped: 1\n")
      assert.strictEqual(recordsIn(all.stdout).length, 50)
      const newest = recordsIn((yield* audit("--json", "--server", "a", "-n", "2")).stdout)
      assert.deepStrictEqual(
        newest.map((record) => record?.kind === "call" && record.tool),
        ["tool_98", "tool_99"]
      )
      assert.deepStrictEqual(
        recordsIn((yield* audit("--json", "--findings")).stdout).map((record) => record?.kind),
        ["finding"]
      )
      const none = yield* audit("--since", "9999-01-01")
      assert.deepStrictEqual([none.code, none.stdout], [0, ""])
      assert.match(none.stderr, /no matching records since 9999-01-01T00:00:00.000Z in/)
      const other = yield* audit("--server", "c")
      assert.deepStrictEqual([other.code, other.stdout], [0, ""])
      assert.include(other.stderr, "none of the 121 records in ")
      const wrong = yield* audit("--since", "soon")
      assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
    }).pipe(Effect.scoped)
  )

  it.live("is filtered by person, and usage sums it up by person and tool, for people and for programs", () =>
    Effect.gen(function* () {
      const { audit, env, written } = yield* scene
      const ada = { person: "ada@example.com", personId: "a1" }
      const bob = { person: "bob@example.com", personId: "b1" }
      written(asLines([auditCall(0, ada), auditCall(1, { ...ada, tool: "x", outcome: "isError" }), auditCall(2, bob)]))
      const peopleOf = (stdout: string) =>
        recordsIn(stdout).map((record) => (record?.kind === "call" ? record.person : undefined))
      assert.deepStrictEqual(peopleOf((yield* audit("--json", "--person", "ADA@*")).stdout), [ada.person, ada.person])
      assert.deepStrictEqual(peopleOf((yield* audit("--json", "--person", "b1")).stdout), [bob.person])
      assert.include((yield* audit("--person", "b1")).stdout, "main (bob@example.com)")
      const usage = (...args: ReadonlyArray<string>) => runHere(["usage", ...args], { env })
      const shown = yield* run(["usage", "--by", "person,tool"], { env })
      assert.strictEqual(shown.code, 0)
      assert.match(
        shown.stdout,
        /^PERSON +TOOL +CALLS +ERRORS +TIME +CHARS +~TOKENS\nada@example.com +fs\/read_file +1 +0 +10 ms +64 +16\n/
      )
      const { rows, total } = JSON.parse((yield* usage("--json", "--person", "ada*")).stdout)
      assert.deepStrictEqual(rows, [
        {
          of: { person: ada.person },
          personId: "a1",
          calls: 2,
          errors: 1,
          durationMs: 20,
          resultChars: 128,
          estimatedTokens: 32
        }
      ])
      assert.deepInclude(total, { calls: 2 })
      const none = yield* usage("--since", "9999-01-01")
      assert.deepStrictEqual([none.code, none.stdout], [0, ""])
      const wrong = yield* usage("--by", "colour")
      assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
      assert.include(wrong.stderr, "person, agent, client, server, tool, day")
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("names nobody any more who is forgotten, and all of their records are there", () =>
    Effect.gen(function* () {
      const { audit, directory, env, written } = yield* scene
      const ada = { person: "ada@example.com", personId: "a1", client: "ada@example.com by cli 01" }
      const bob = { person: "bob@example.com", personId: "b1" }
      written(
        asLines([auditCall(0, ada), auditCall(1, ada), auditCall(2, bob), auditCall(3, { ...bob, personId: "b2" })])
      )
      const forget = (...args: ReadonlyArray<string>) => run(["forget", ...args], { env })
      const done = yield* forget("ada@example.com")
      assert.strictEqual(done.code, 0)
      assert.strictEqual(
        done.stdout,
        "approvals for good: 0 removed\ncounts of quotas: 0 removed\nlogins at servers: 0 removed\nkept results: 0 removed\nconversations: 0 removed\nlines of the log about servers: 0 removed\nlaunches of servers beside pins: 0 without a name now\nrecords of the audit log: 2 without a name now\n"
      )
      const kept = readdirSync(directory)
        .map((name) => readFileSync(join(directory, name), "utf8"))
        .join("")
      assert.notInclude(kept, "ada@example.com")
      const { stdout } = yield* audit("--json", "--person", "forgotten")
      assert.lengthOf(recordsIn(stdout), 2)
      assert.lengthOf(recordsIn((yield* audit("--json")).stdout), 4)
      const again = yield* forget("ada@example.com")
      assert.deepStrictEqual([again.code, again.stdout], [1, ""])
      const namesakes = yield* forget("bob@example.com")
      assert.strictEqual(namesakes.code, 2)
      assert.match(namesakes.stderr, /give the id of one of them: b1 \(last call on .*\), b2 /)
      const { forgotten } = JSON.parse((yield* forget("b2", "--json")).stdout)
      assert.deepInclude(forgotten, { what: "records of the audit log", count: 1 })
      const unrecorded = personIdOf({ issuer: "https://login.example.com", subject: "carol" })
      assert.strictEqual((yield* forget(unrecorded)).code, 1)
    }).pipe(Effect.scoped)
  )

  it.live("sums up by server and tool, for people and for programs", () =>
    Effect.gen(function* () {
      const { audit, written } = yield* scene
      written(asLines([auditCall(0), auditCall(1, { outcome: "CallTimeout", durationMs: 90 }), auditFinding(2)]))
      const { stdout } = yield* audit("--summary")
      assert.match(stdout, /^fs +read_file +2 +1 +10 +90 +CallTimeout 1 +- +-$/m)
      assert.match(stdout, /^web +fetch +0 +0 +- +- +- +pattern 2 +-$/m)
      const document = JSON.parse((yield* audit("--summary", "--json")).stdout) as AuditSummary & {
        damaged: number
      }
      assert.deepInclude(document, { records: 3, dropped: 0, damaged: 0 })
      assert.strictEqual(document.rows.length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("follows what is written, and leaves on a signal", () =>
    Effect.gen(function* () {
      const { current, env, written } = yield* scene
      written(asLines([auditCall(0, { tool: "before" })]))
      const program = yield* start(["audit", "--follow"], { env })
      yield* program.until(/ before /)
      appendFileSync(current, asLines([auditCall(1, { tool: "after" })]))
      yield* program.until(/ after /)
      program.signal("SIGINT")
      const { code, stdout } = yield* program.exited
      assert.strictEqual(code, 0)
      assert.strictEqual(stdout.split("\n").filter((line) => / before | after /.test(line)).length, 2)
    }).pipe(Effect.scoped)
  )
})
