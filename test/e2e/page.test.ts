/** What a gateway process answers to a page: that no secret is in it, and that its configuration can be edited from there. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import JSON5 from "json5"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findGateways } from "../../src/system/gatewayFiles.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { contract } from "../support/control.ts"
import { inFolder } from "../support/folder.ts"
import { pauses } from "../support/pause.ts"
import { start } from "./program.ts"

const REFERENCED = "canary-referenced-5e1f0a"
const PLAIN = "canary-plain-90ab7c4d21"
const HEADER = "canary-in-header-7731"
const OTHERS = "canary-of-another-program-11"
const SECRETS = [REFERENCED, PLAIN, HEADER, OTHERS]

const textOf = (folder: string) => `{
  // Both servers have secrets; this was ${PLAIN}.
  "mcp": {
    "servers": {
      "leaky": {
        "command": ${JSON.stringify(process.execPath)},
        "args": [${JSON.stringify(inFixtures("leaky.ts"))}, "--api-key", "${PLAIN}"],
        "env": { "TOKEN": "secret://env/CANARY", "API_KEY": "${PLAIN}", "WORDS": ${JSON.stringify(join(folder, "words"))} },
        "resourceContext": true,
        "pin": "warn",
      },
      "far": { "url": "https://127.0.0.1:1/mcp", "headers": { "Authorization": "Bearer ${HEADER}" }, "enabled": false },
    },
  },
}
`

const began = Effect.gen(function* () {
  const folder = yield* inFolder
  const config = join(folder, "openclaw.json")
  writeFileSync(config, textOf(folder))
  writeFileSync(
    join(folder, ".claude.json"),
    JSON.stringify({ mcpServers: { theirs: { command: "node", args: ["x"], env: { API_TOKEN: OTHERS } } } })
  )
  const env = { HOME: folder, MCP_LIVE_HOME: join(folder, "data"), CANARY: REFERENCED, PATH: process.env["PATH"] ?? "" }
  const running = yield* start(["start", "--config", config], { env, cwd: folder })
  yield* running.until(/leaky .*Ready/)
  const [found] = yield* Effect.promise(() => findGateways(env.MCP_LIVE_HOME))
  const gateway = yield* contract(found!)
  return { folder, config, gateway, running }
})

const say = { name: "mcp_leaky_say", arguments: {} as never, look: "agent", asks: false } as const

describe.skipIf(process.platform === "win32")("a gateway process and a page", () => {
  it.live("tell each other no secret, in any answer", () =>
    Effect.gen(function* () {
      const { folder, gateway } = yield* began
      yield* gateway.Call(say).pipe(Stream.runLast, Effect.map(Option.getOrThrow))
      // The definition changes.
      writeFileSync(join(folder, "words"), `New words\u200b, and ${REFERENCED}.`)
      yield* gateway.Reset({ server: "leaky" })
      yield* gateway.Ready({})
      yield* gateway.Tools({ all: true })
      const file = yield* gateway.ConfigFile()
      const events = yield* gateway
        .Events({ after: { epoch: "another", seq: 1 } })
        .pipe(Stream.take(7), Stream.runCollect)
      // Calls and lines are written to their files a moment after they happen.
      const { records } = yield* Effect.repeat(gateway.PastCalls({ limit: 100 }), {
        schedule: pauses,
        until: (past) => past.records.some((one) => one.id !== undefined)
      })
      const logs = yield* Effect.repeat(gateway.PastLogs({ limit: 100 }), {
        schedule: pauses,
        until: (past) => JSON.stringify(past).includes("starting with")
      })
      const id = records.find(({ id: one }) => one !== undefined)!.id!
      const passed = yield* gateway.Events({ after: { epoch: events[0]!.epoch, seq: 0 } }).pipe(
        Stream.takeUntil(({ event }) => event._tag === "Call"),
        Stream.runCollect
      )
      const answers: Readonly<Record<string, unknown>> = {
        events,
        passed,
        file,
        records,
        logs,
        trace: yield* gateway.Trace({ call: id }),
        history: yield* gateway.History({}),
        tallies: yield* gateway.Tallies({}),
        timeline: yield* gateway.Timeline({ server: "leaky" }),
        leaky: yield* gateway.Server({ server: "leaky" }),
        far: yield* gateway.Server({ server: "far" }),
        context: yield* gateway.Context({}),
        pins: yield* gateway.PinsChanges(),
        checked: yield* gateway.CheckConfig({ text: file.text.replace('"warn"', '"block"') }),
        wrong: yield* gateway.CheckConfig({ text: file.text.replace('"pin"', '"pim"') }),
        import: yield* gateway.ProposeImport({ text: file.text }),
        add: yield* gateway.ProposeServer({
          text: file.text,
          server: { _tag: "Command", name: "more", words: ["node", "x.js"], env: [`API_KEY=${PLAIN}`] }
        })
      }
      for (const [name, answer] of Object.entries(answers)) {
        const text = JSON.stringify(answer)
        for (const secret of SECRETS) assert.notInclude(text, secret, name)
      }
      // These have something in them that could have held one.
      const shown = JSON.stringify(answers)
      for (const there of ["leaky [REDACTED]", "notes: [REDACTED]", "New words\\\\u200b", "starting with", "theirs"]) {
        assert.include(shown, there)
      }
    }).pipe(Effect.scoped)
  )

  it.live("edit the configuration: a valid edit is saved, keeps comments and secrets, and takes effect", () =>
    Effect.gen(function* () {
      const { config, folder, gateway } = yield* began
      const file = yield* gateway.ConfigFile()
      assert.strictEqual(file.path, config)
      assert.isUndefined(file.locked)
      const edited = file.text.replace('"pin": "warn"', '"pin": "block" /* stricter */')
      const { change, problems } = yield* gateway.CheckConfig({ text: edited })
      assert.deepStrictEqual([problems, change!.inPlace], [[], ["pin of server leaky"]])
      const saved = yield* gateway.SaveConfig({ text: edited, hash: file.hash })
      assert.deepStrictEqual(saved.reloaded!.change.inPlace, ["pin of server leaky"])
      const expected = textOf(folder).replace('"pin": "warn"', '"pin": "block" /* stricter */')
      assert.strictEqual(readFileSync(config, "utf8"), expected)
      assert.strictEqual(readFileSync(saved.backup!, "utf8"), textOf(folder))
      assert.strictEqual((yield* gateway.ConfigFile()).hash, saved.hash)
    }).pipe(Effect.scoped)
  )

  it.live("edit the configuration: an edit that is invalid or would undo another change is refused", () =>
    Effect.gen(function* () {
      const { config, folder, gateway } = yield* began
      const { hash, text } = yield* gateway.ConfigFile()
      const wrong = text.replace('"pin"', '"pim"')
      const { problems } = yield* gateway.CheckConfig({ text: wrong })
      assert.strictEqual(problems[0]!.path, "mcp.servers.leaky.pim")
      assert.strictEqual(wrong.split("\n")[problems[0]!.line - 1]!.includes('"pim"'), true)
      const invalid = yield* Effect.flip(gateway.SaveConfig({ text: wrong, hash }))
      assert.isTrue(invalid._tag === "ConfigRefused" && invalid.reason === "invalid")
      const broken = yield* gateway.CheckConfig({ text: '{\n  "mcp": {,\n}' })
      assert.strictEqual(broken.problems[0]!.line, 2)
      writeFileSync(config, `${textOf(folder)}// another's\n`)
      const late = yield* Effect.flip(gateway.SaveConfig({ text: text.replace('"warn"', '"block"'), hash }))
      assert.isTrue(late._tag === "ConfigRefused" && late.reason === "changed")
      assert.strictEqual(readFileSync(config, "utf8"), `${textOf(folder)}// another's\n`)
    }).pipe(Effect.scoped)
  )

  it.live("add a server by its command and import servers of other programs, as the commands do", () =>
    Effect.gen(function* () {
      const { config, gateway } = yield* began
      const { hash, text } = yield* gateway.ConfigFile()
      const server = { _tag: "Command", name: "more", words: ["node", "more.js"], env: ["LEVEL=debug"] } as const
      const more = yield* gateway.ProposeServer({ text, server })
      assert.deepStrictEqual(JSON5.parse(more.text!).mcp.servers.more, {
        command: "node",
        args: ["more.js"],
        env: { LEVEL: "debug" }
      })
      const taken = yield* Effect.flip(gateway.ProposeServer({ text: more.text!, server }))
      assert.isTrue(taken._tag === "ConfigRefused" && taken.reason === "name")
      const none = yield* gateway.ProposeImport({ text: more.text!, take: [] })
      assert.strictEqual(none.text, more.text)
      const all = yield* gateway.ProposeImport({ text: more.text! })
      assert.deepInclude(all.servers[0], {
        name: "theirs",
        client: "claude-code",
        state: "take",
        keys: ["command", "args", "env"]
      })
      const { problems } = yield* gateway.CheckConfig({ text: all.text })
      assert.deepStrictEqual(problems, [])
      yield* gateway.SaveConfig({ text: all.text.replace('command: "node"', 'command: "node"'), hash })
      const { servers } = JSON5.parse(readFileSync(config, "utf8")).mcp
      assert.deepStrictEqual(Object.keys(servers).toSorted(), ["far", "leaky", "more", "theirs"])
      assert.strictEqual(servers.theirs.env.API_TOKEN, OTHERS)
      assert.strictEqual(servers.leaky.env.API_KEY, PLAIN)
    }).pipe(Effect.scoped)
  )
})
