import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { configOf, editable, told } from "../../support/editable.ts"
import { pauses } from "../../support/pause.ts"

describe.skipIf(process.platform === "win32")("what changes without a restart of a server", () => {
  it.live("rules of the gateway, of the agent and of the server count at once", () =>
    Effect.gen(function* () {
      const { call, edit, live, pid, runtime } = yield* editable(configOf({ one: told() }))
      const before = yield* pid("one")
      const names = Effect.map(runtime.allTools, (tools) => tools.map(({ name }) => name))
      const rules = { gateway: { tools: { deny: ["one/sh"] } }, tools: { ask: ["one/read"] } }
      yield* edit(configOf({ one: told({}, { tools: { exclude: ["write"] } }) }, rules))
      const { change } = yield* live.reload
      assert.deepStrictEqual(change.restarted, [])
      assert.deepStrictEqual(change.inPlace, ["tools of server one", "rules"])
      const listed = yield* names
      for (const gone of ["mcp_one_sh", "mcp_one_write"]) assert.notInclude(listed, gone)
      assert.match(yield* call("mcp_one_sh", { script: "true" }), /deny: one\/sh/)
      assert.match(yield* call("mcp_one_write", {}), /deny: one\/write/)
      // Nobody can be asked here.
      assert.match(yield* call("mcp_one_read", { path: "x" }), /approv/)
      yield* edit(configOf({ one: told() }))
      yield* live.reload
      assert.include(yield* names, "mcp_one_sh")
      // Only a rule.
      yield* edit(configOf({ one: told() }, { gateway: { tools: { deny: ["one/echo"] } } }))
      yield* live.reload
      assert.notInclude(yield* names, "mcp_one_echo")
      assert.match(yield* call("mcp_one_echo", { text: "x" }), /deny: one\/echo/)
      assert.strictEqual(yield* call("mcp_one_pid"), String(before))
    }).pipe(Effect.scoped)
  )

  it.live("limits and how content is shown count at once", () =>
    Effect.gen(function* () {
      const { call, edit, live, pid, runtime } = yield* editable(configOf({ one: told() }))
      const before = yield* pid("one")
      const entry = told({}, { limits: { perMinute: 1, burst: 1 }, contentMode: "trusted" })
      yield* edit(configOf({ one: entry }))
      yield* live.reload
      const { content } = yield* runtime.call("mcp_one_echo", { text: "hello" })
      assert.deepStrictEqual(content, [{ type: "text", text: "hello" }])
      assert.match(yield* call("mcp_one_echo", { text: "again" }), /rate|often|limit|at once|per minute|calls/i)
      assert.strictEqual(yield* pid("one"), before)
    }).pipe(Effect.scoped)
  )

  it.live("whether what servers write is kept in files counts at once", () =>
    Effect.gen(function* () {
      const off = { mcp: { logs: { files: false } } }
      const { edit, folder, live, runtime } = yield* editable(configOf({ one: told() }, off))
      const place = join(folder, "data", "logs")
      // Its start was not written.
      assert.isFalse(existsSync(place))
      yield* edit(configOf({ one: told() }))
      yield* live.reload
      yield* runtime.reset("one")
      yield* runtime.ready
      const kept = Effect.sync(() =>
        (existsSync(place) ? readdirSync(place) : []).map((name) => readFileSync(join(place, name), "utf8")).join("")
      )
      const text = yield* kept.pipe(Effect.repeat({ schedule: pauses, until: (now) => now.includes('"ready: ') }))
      // Had that of the first start been kept, it would stand before this one.
      assert.lengthOf(text.match(/"ready: /g)!, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a secret with another value restarts the servers that have it, and no other", () =>
    Effect.gen(function* () {
      // A look at the files meanwhile would notice the secrets first.
      const reload = { watch: false }
      const { call, edit, folder, live, pid, runtime, untilServer } = yield* editable(configOf({}, { mcp: { reload } }))
      const [first, second] = [join(folder, "first"), join(folder, "second")]
      writeFileSync(first, "value-one-of-first")
      writeFileSync(second, "value-one-of-second")
      const exec = { secrets: { exec: { third: { command: "/bin/cat", args: [second] } } } }
      const servers = {
        a: told({ KEY: `secret://file${first}` }),
        b: told(),
        c: told({ KEY: `secret://file${second}` }),
        d: told({ KEY: "secret://exec/third" })
      }
      yield* edit(configOf(servers, { mcp: { ...exec, reload } }))
      yield* live.reload
      yield* runtime.ready
      const before = yield* Effect.all([pid("a"), pid("b"), pid("c"), pid("d")])
      assert.deepStrictEqual((yield* live.reload).renewed, [])
      writeFileSync(first, "value-two-of-first")
      assert.deepStrictEqual((yield* live.reload).renewed, ["a"])
      yield* untilServer("a", (status) => status?.state === "Ready" && status.pid !== before[0])
      assert.strictEqual(yield* call("mcp_a_sh", { script: "printf %s $KEY | tail -c 12 | head -c 8" }), "two-of-f")
      writeFileSync(second, "value-two-of-second")
      assert.deepStrictEqual((yield* live.reload).renewed.toSorted(), ["c", "d"])
      yield* untilServer("d", (status) => status?.state === "Ready" && status.pid !== before[3])
      assert.strictEqual(yield* pid("b"), before[1])
      assert.deepStrictEqual((yield* live.reload).renewed, [])
    }).pipe(Effect.scoped)
  )

  it.live("a secret that cannot be read leaves its server as it is, and is named until it can be read", () =>
    Effect.gen(function* () {
      const reload = { watch: false }
      const { call, edit, folder, live, pid, runtime } = yield* editable(configOf({}, { mcp: { reload } }))
      const key = join(folder, "key")
      writeFileSync(key, "the-old-value")
      yield* edit(configOf({ a: told({ KEY: `secret://file${key}` }), b: told() }, { mcp: { reload } }))
      yield* live.reload
      yield* runtime.ready
      const before = yield* pid("a")
      rmSync(key)
      const { renewed, unread } = yield* live.reload
      assert.deepStrictEqual(renewed, [])
      assert.deepStrictEqual(
        unread.map(({ reference, server }) => [server, reference]),
        [["a", `secret://file${key}`]]
      )
      assert.deepStrictEqual(live.state().unread, unread)
      assert.strictEqual(yield* pid("a"), before)
      assert.strictEqual(yield* call("mcp_a_sh", { script: "printf %s $KEY | tail -c 9" }), "old-value")
      writeFileSync(key, "the-old-value")
      assert.deepStrictEqual((yield* live.reload).unread, [])
      assert.deepStrictEqual(live.state().unread, [])
    }).pipe(Effect.scoped)
  )
})
