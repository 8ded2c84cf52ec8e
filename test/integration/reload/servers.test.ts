import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inFolder } from "../../support/folder.ts"
import { alive } from "../../support/alive.ts"
import { configOf, editable, told } from "../../support/editable.ts"

/** A script that ends when the file is there. */
const untilThere = (file: string) => `while [ ! -e '${file}' ]; do sleep 0.02; done; echo ended well`

describe.skipIf(process.platform === "win32")("an edit of the configuration while a gateway runs", () => {
  it.live("restarts exactly the changed server; calls that are under way there, and elsewhere, run on", () =>
    Effect.gen(function* () {
      const before = { changed: told(), removed: told(), same: told(), slow: told() }
      const gateway = yield* editable(configOf(before))
      const { call, edit, folder, logged, pid, runtime, untilServer } = gateway
      const pids = { changed: yield* pid("changed"), removed: yield* pid("removed"), same: yield* pid("same") }
      const slow = yield* pid("slow")
      const [gate, otherGate] = [join(folder, "gate"), join(folder, "gate-of-changed")]
      const long = yield* Effect.forkChild(call("mcp_slow_sh", { script: untilThere(gate) }), {
        startImmediately: true
      })
      const underWay = yield* Effect.forkChild(call("mcp_changed_sh", { script: untilThere(otherGate) }), {
        startImmediately: true
      })
      // Both have arrived when the servers answer later calls.
      yield* call("mcp_slow_pid")
      yield* call("mcp_changed_pid")

      const { removed: _, ...kept } = before
      yield* edit(configOf({ ...kept, added: told(), changed: told({ MARK: "new" }) }))
      yield* untilServer("added", (status) => status?.state === "Ready")
      assert.isUndefined((yield* runtime.status)["removed"])
      yield* logged(/\[removed\] stopped/)
      assert.isFalse(alive(pids.removed!))

      // The changed one still has a call, so the new one is not there.
      assert.isTrue(alive(pids.changed!))
      assert.strictEqual((yield* runtime.status)["changed"]?.state, "Connecting")
      assert.strictEqual(yield* call("mcp_same_pid"), String(pids.same))
      writeFileSync(otherGate, "")
      assert.strictEqual(yield* Fiber.join(underWay), "ended well")
      const now = yield* call("mcp_changed_pid")
      assert.notStrictEqual(now, String(pids.changed))
      assert.include(yield* call("mcp_changed_env"), '"MARK":"new"')
      assert.isFalse(alive(pids.changed!))

      assert.isUndefined(long.pollUnsafe())
      writeFileSync(gate, "")
      assert.strictEqual(yield* Fiber.join(long), "ended well")
      assert.strictEqual(yield* pid("slow"), slow)
      assert.strictEqual(yield* pid("same"), pids.same)
    }).pipe(Effect.scoped)
  )

  it.live("that says the same in other words restarts nothing", () =>
    Effect.gen(function* () {
      const { call, edit, live, pid } = yield* editable(configOf({ one: told() }))
      const before = yield* pid("one")
      yield* edit(`// a comment\n${JSON.stringify(configOf({ one: told({}, { enabled: true }) }), null, 7)}`)
      const { change, renewed } = yield* live.reload
      assert.deepStrictEqual(change, { restarted: [], started: [], stopped: [], inPlace: [], needsRestart: [] })
      assert.deepStrictEqual(renewed, [])
      assert.strictEqual(yield* call("mcp_one_pid"), String(before))
    }).pipe(Effect.scoped)
  )

  it.live("that is not valid keeps what runs and says why, until it is mended", () =>
    Effect.gen(function* () {
      const config = configOf({ one: told() })
      const { call, edit, live, log, pid, untilState } = yield* editable(config)
      const before = yield* pid("one")
      yield* edit(configOf({ one: told({}, { timeuot: 5 }) }))
      yield* untilState(({ fault }) => fault !== null)
      assert.match(live.state().fault!, /openclaw\.json:\d+: mcp\.servers\.one\.timeuot: unknown key/)
      assert.isTrue(log.some((line) => /cannot be used; the previous one stays in effect: .*timeuot/.test(line)))
      assert.strictEqual(yield* call("mcp_one_pid"), String(before))
      assert.strictEqual((yield* Effect.flip(live.reload))._tag, "ConfigError")
      yield* edit(config)
      yield* untilState(({ fault }) => fault === null)
      assert.strictEqual(yield* pid("one"), before)
    }).pipe(Effect.scoped)
  )

  it.live("is noticed when the file is replaced by another one, again and again", () =>
    Effect.gen(function* () {
      const { pid, replace, untilTools } = yield* editable(configOf({ one: told() }))
      const before = yield* pid("one")
      yield* replace(configOf({ one: told({}, { tools: { exclude: ["echo"] } }) }))
      yield* untilTools((names) => !names.includes("mcp_one_echo"))
      yield* replace(configOf({ one: told({}, { tools: { exclude: ["pid"] } }) }))
      yield* untilTools((names) => names.includes("mcp_one_echo") && !names.includes("mcp_one_pid"))
      assert.strictEqual(yield* pid("one"), before)
    }).pipe(Effect.scoped)
  )

  it.live("is read again when the rest of a half-written file is there, and when a missing file comes back", () =>
    Effect.gen(function* () {
      const { edit, file, live, replace, untilState, untilTools } = yield* editable(configOf({ one: told() }))
      const whole = JSON.stringify(configOf({ one: told({}, { tools: { exclude: ["echo"] } }) }))
      yield* edit(whole.slice(0, 60))
      yield* untilState(({ fault }) => fault !== null)
      yield* edit(whole)
      yield* untilTools((names) => !names.includes("mcp_one_echo"))
      assert.isNull(live.state().fault)
      yield* Effect.promise(async () => (await import("node:fs/promises")).rm(file))
      yield* untilState(({ fault }) => /there is no such file/.test(fault ?? ""))
      yield* replace(configOf({ one: told() }))
      yield* untilTools((names) => names.includes("mcp_one_echo"))
    }).pipe(Effect.scoped)
  )

  it.live("may be one of a file of variables that the configuration names", () =>
    Effect.gen(function* () {
      const place = yield* inFolder
      const variables = join(place, "variables.env")
      writeFileSync(variables, "MARK=first\n")
      const servers = { one: { type: "stdio", ...told(), envFile: variables }, two: { type: "stdio", ...told() } }
      const gateway = yield* editable({ servers }, () => ({}), ".vscode/mcp.json")
      const { call, pid, untilServer } = gateway
      const [one, two] = [yield* pid("one"), yield* pid("two")]
      assert.include(yield* call("mcp_one_env"), '"MARK":"first"')
      writeFileSync(variables, "MARK=second\n")
      yield* untilServer("one", (status) => status?.state === "Ready" && status.pid !== one)
      assert.include(yield* call("mcp_one_env"), '"MARK":"second"')
      assert.strictEqual(yield* pid("two"), two)
    }).pipe(Effect.scoped)
  )

  it.live("is not applied automatically if the configuration says so, only on request", () =>
    Effect.gen(function* () {
      const off = { mcp: { reload: { watch: false } } }
      const { edit, live, runtime } = yield* editable(configOf({ one: told() }, off))
      assert.isFalse(live.state().watched)
      yield* edit(configOf({ one: told(), two: told() }, off))
      const { change } = yield* live.reload
      assert.deepStrictEqual(change.started, ["two"])
      assert.deepStrictEqual(Object.keys(yield* runtime.status), ["one", "two"])
    }).pipe(Effect.scoped)
  )

  it.live("that cannot take effect is named, and also what went back", () =>
    Effect.gen(function* () {
      const { edit, live } = yield* editable(configOf({ one: told() }))
      yield* edit(configOf({ one: told() }, { mcp: { serve: { maxOwnServers: 3 }, audit: { maxFiles: 7 } } }))
      assert.deepStrictEqual((yield* live.reload).change.needsRestart.toSorted(), ["audit", "serve"])
      assert.deepStrictEqual(live.state().pending.toSorted(), ["audit", "serve"])
      yield* edit(configOf({ one: told() }, { mcp: { audit: { maxFiles: 7 } } }))
      yield* live.reload
      assert.deepStrictEqual(live.state().pending, ["audit"])
    }).pipe(Effect.scoped)
  )
})
