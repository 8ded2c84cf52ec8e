import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { launchFor } from "../../../../src/schemas/connection/PersonPlaceholder.ts"
import type { StdioLaunch } from "../../../../src/schemas/connection/ServerConfig.ts"
import { personIdOf } from "../../../../src/schemas/login/Identity.ts"
import { DefinitionLedger } from "../../../../src/services/call/DefinitionLedger.ts"
import { runAt } from "../../../support/cli.ts"
import { inFolder } from "../../../support/folder.ts"
import { catalogue, ledgerIn, pinned, tool } from "../../../support/pins.ts"

const ISSUER = "https://login.example.com"
const ada = { issuer: ISSUER, subject: "u-1", name: "ada@example.com" }
const [ADA, GRACE] = [ada.name, "grace@example.com"]
const ADA_ID = personIdOf(ada)
const GRACE_ID = personIdOf({ issuer: ISSUER, subject: "u-2" })

const call = (person: string, personId: string, day = "2026-11-01") =>
  JSON.stringify({
    v: 1,
    time: `${day}T10:00:00.000Z`,
    kind: "call",
    agent: "main",
    client: `${person} by cli 0123456789abcdef`,
    person,
    personId,
    server: "notes",
    tool: "read",
    shape: "{}",
    durationMs: 1,
    outcome: "ok",
    resultChars: 1,
    findings: []
  })

const said = (whose: string | undefined, text: string) =>
  JSON.stringify({
    v: 1,
    time: "2026-11-01T10:00:00.000Z",
    server: "notes",
    ...(whose === undefined ? {} : { whose }),
    source: "stderr",
    level: "info",
    text,
    gateway: 1
  })

/** A data directory with these files of lines. */
const homeWith = Effect.fnUntraced(function* (
  records: ReadonlyArray<string>,
  lines: ReadonlyArray<string> = [said(undefined, "shared")]
) {
  const home = yield* inFolder
  for (const folder of ["audit", "logs"]) mkdirSync(join(home, folder))
  writeFileSync(join(home, "audit", "audit.jsonl"), `${records.join("\n")}\n`)
  writeFileSync(join(home, "logs", "servers.jsonl"), `${lines.join("\n")}\n`)
  const run = (...args: ReadonlyArray<string>) => runAt({ cwd: home, env: { MCP_LIVE_HOME: home } }, ...args)
  return { home, run }
})

const textOf = (home: string): string =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), "utf8"))
    .join("\n")

const launch: StdioLaunch = {
  kind: "stdio",
  command: "notes-server",
  args: ["--home=/srv/{person}/x", "{person}"],
  env: {},
  cwd: undefined
}
const notes = (holder = ada) =>
  pinned("notes", "block", { isolate: "person", launch: launchFor(launch, holder).launch, written: launch })

const reviewedIn = (home: string, config: ReturnType<typeof notes>) =>
  DefinitionLedger.use(({ review }) =>
    Effect.sync(() => review([{ config, catalogue: catalogue([tool("read")]) }])(config, tool("read")).pin)
  ).pipe(Effect.provide(ledgerIn(home), { local: true }))

const pinFile = (home: string): string => join(home, "pins", readdirSync(join(home, "pins"))[0]!)

/** As an earlier version wrote it: with the value of the first person. */
const makeOld = (home: string): void => {
  const text = readFileSync(pinFile(home), "utf8")
  assert.notInclude(text, ADA)
  writeFileSync(pinFile(home), text.replaceAll("{person}", ADA))
}

describe("mcp-live forget", () => {
  it.live("leaves a name neither in the log about servers nor beside pins, which stay", () =>
    Effect.gen(function* () {
      const { home, run } = yield* homeWith(
        [call(ADA, ADA_ID), call(GRACE, GRACE_ID)],
        [
          said(`${ADA} #${ADA_ID.slice(0, 6)}`, `the notes of ${ADA}`),
          said(`${ADA} by cli 0123456789abcdef`, "hers"),
          said(`${ADA} by cli 0123456789abcdef, session 1a2b3c4d`, "hers"),
          said(`${GRACE} #${GRACE_ID.slice(0, 6)}`, "graces"),
          said(undefined, "shared")
        ]
      )
      assert.strictEqual(yield* reviewedIn(home, notes()), "approved")
      makeOld(home)
      const { code, stderr, stdout } = yield* run("forget", ADA)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, "lines of the log about servers: 3 removed\n")
      assert.include(stdout, "launches of servers beside pins: 1 without a name now\n")
      const left = textOf(home)
      assert.notInclude(left, ADA)
      assert.notInclude(left, ADA_ID)
      for (const other of ["graces", "shared", GRACE_ID, "--home=/srv/{person}/x"]) assert.include(left, other)
      // What was approved holds for everybody, and for no other command.
      assert.strictEqual(yield* reviewedIn(home, notes({ ...ada, name: GRACE })), "approved")
      const other = { ...launch, command: "other-server" }
      assert.strictEqual(yield* reviewedIn(home, { ...notes(), launch: other, written: other }), "changed")
    }).pipe(Effect.scoped)
  )

  it.live("what an earlier version kept of one person beside pins goes with the next look at the server", () =>
    Effect.gen(function* () {
      const { home } = yield* homeWith([])
      yield* reviewedIn(home, notes())
      makeOld(home)
      assert.strictEqual(yield* reviewedIn(home, notes()), "approved")
      assert.notInclude(readFileSync(pinFile(home), "utf8"), ADA)
    }).pipe(Effect.scoped)
  )

  it.live("a name that is a word of another server is there again with the next look at it", () =>
    Effect.gen(function* () {
      const { home, run } = yield* homeWith([call("data", ADA_ID)])
      const shared = pinned("notes", "block", { launch: { ...launch, args: ["--home=/data/x"] } })
      yield* reviewedIn(home, shared)
      assert.strictEqual((yield* run("forget", "data")).code, 0)
      assert.strictEqual(yield* reviewedIn(home, shared), "approved")
      assert.include(readFileSync(pinFile(home), "utf8"), "--home=/data/x")
    }).pipe(Effect.scoped)
  )

  it.live("forgets nobody whose name is only like the one that is given", () =>
    Effect.gen(function* () {
      const { home, run } = yield* homeWith([call(ADA, ADA_ID)])
      const { code, stderr } = yield* run("forget", "ADA@example.com")
      assert.strictEqual(code, 1)
      assert.include(stderr, 'there is no record of "ADA@example.com": did you mean "ada@example.com"?')
      assert.include(textOf(home), ADA_ID)
      const { stdout } = yield* run("forget", "ADA@example.com", "--json")
      assert.strictEqual(JSON.parse(stdout).error.tag, "PersonNotFound")
    }).pipe(Effect.scoped)
  )

  it.live("says that an id is nobody's, also as JSON", () =>
    Effect.gen(function* () {
      const { run } = yield* homeWith([call(ADA, ADA_ID)])
      const nobody = "0".repeat(32)
      const { code, stderr, stdout } = yield* run("forget", nobody)
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, `there is no record of "${nobody}"`)
      assert.strictEqual((yield* run("forget", ADA_ID)).code, 0)
    }).pipe(Effect.scoped)
  )

  it.live("tells people of one name apart, by their ids and last calls", () =>
    Effect.gen(function* () {
      const { run } = yield* homeWith([
        call(ADA, ADA_ID),
        call(ADA, ADA_ID, "2026-11-03"),
        call(ADA, GRACE_ID, "2026-10-05")
      ])
      const { code, stderr } = yield* run("forget", ADA)
      assert.strictEqual(code, 2)
      assert.include(stderr, `${ADA_ID} (last call on 2026-11-03)`)
      assert.include(stderr, `${GRACE_ID} (last call on 2026-10-05)`)
    }).pipe(Effect.scoped)
  )

  it.live("does not look in another place when the configuration that is named is not there, or cannot be read", () =>
    Effect.gen(function* () {
      const { home, run } = yield* homeWith([call(ADA, ADA_ID)])
      for (const command of [["forget", ADA], ["usage"]]) {
        const { code, stderr, stdout } = yield* run(...command, "--config", join(home, "nope.json"))
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.include(stderr, "there is no such file")
      }
      writeFileSync(join(home, "broken.json"), "{ mcp: ")
      assert.strictEqual((yield* run("forget", ADA, "--config", join(home, "broken.json"))).code, 2)
      assert.include(textOf(home), ADA_ID)
    }).pipe(Effect.scoped)
  )
})
