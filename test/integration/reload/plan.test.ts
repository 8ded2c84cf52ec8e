import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { inFixtures } from "../../fixtures/servers.ts"
import { inFolder } from "../../support/folder.ts"
import { configOf, editable, told } from "../../support/editable.ts"

describe.skipIf(process.platform === "win32")("the plan of an agent", () => {
  it.live("has each known tool under its exposed name, with the rule or the pin that decides, and its size", () =>
    Effect.gen(function* () {
      const servers = {
        filtered: told({}, { tools: { include: ["ec*"], exclude: ["echo"] } }),
        gone: { command: "/nowhere/at-all" },
        off: told({}, { enabled: false }),
        ruled: told()
      }
      const rules = { gateway: { tools: { deny: ["ruled/sh"] } }, tools: { ask: ["ruled/write"] } }
      const { runtime } = yield* editable(configOf(servers, rules))
      const plan = yield* runtime.plan()
      const listed = yield* runtime.tools
      const [filtered, gone, off, ruled] = plan.servers
      const named = (server: typeof ruled, name: string) => server?.tools.find((tool) => tool.name === name)
      assert.deepInclude(named(filtered, "mcp_filtered_echo"), {
        state: "denied",
        rule: "tools.exclude: filtered/echo"
      })
      assert.deepInclude(named(filtered, "mcp_filtered_pid"), { state: "denied", rule: "tools.include: no match" })
      assert.deepInclude(named(ruled, "mcp_ruled_sh"), { state: "denied", rule: "deny: ruled/sh" })
      assert.deepInclude(named(ruled, "mcp_ruled_write"), { state: "listed", asks: true, rule: "ask: ruled/write" })
      assert.deepInclude(named(ruled, "mcp_ruled_pid"), { state: "listed", asks: false, pin: "approved" })
      assert.deepInclude(gone, { state: "Failed", tools: [] })
      assert.match(gone!.detail!, /nowhere/)
      assert.deepInclude(off, { state: "Disabled", detail: "disabled in the configuration", tools: [] })
      // What it says is listed is what is listed.
      const there = plan.servers.flatMap(({ tools }) => tools.filter(({ state }) => state === "listed"))
      assert.deepStrictEqual(
        [...there, ...plan.own].map(({ name }) => name).toSorted(),
        listed.map(({ name }) => name).toSorted()
      )
      assert.strictEqual(
        plan.tokens,
        [...there, ...plan.own].reduce((sum, { tokens }) => sum + tokens, 0)
      )
      const pid = listed.find(({ name }) => name === "mcp_ruled_pid")!
      const { description, name, parameters } = pid
      const expected = Math.ceil(JSON.stringify({ name, description, parameters }).length / 4)
      assert.strictEqual(named(ruled, "mcp_ruled_pid")!.tokens, expected)
    }).pipe(Effect.scoped)
  )

  it.live("reports tools behind the search, and the effect of another configuration", () =>
    Effect.gen(function* () {
      const { live, runtime, edit } = yield* editable(
        configOf({ one: told() }, { mcp: { toolIndex: { threshold: 3 }, reload: { watch: false } } })
      )
      const plan = yield* runtime.plan()
      assert.isTrue(plan.servers[0]!.tools.every(({ state }) => state === "searched"))
      assert.strictEqual(plan.servers[0]!.tokens, 0)
      assert.isAbove(plan.searchedTokens, plan.servers[0]!.tools.length)
      assert.deepStrictEqual(
        plan.own.map(({ name }) => name),
        (yield* runtime.tools).map(({ name }) => name)
      )
      yield* edit(configOf({ one: told({ A: "1" }, { tools: { exclude: ["sh"] } }), two: told() }))
      const { config } = yield* live.preview
      const { next } = yield* runtime.plan(config.agents[0])
      // It restarts, but what it offers is known; of the new one nothing is.
      assert.deepStrictEqual(next, { appear: [], disappear: ["mcp_one_sh"] })
    }).pipe(Effect.scoped)
  )

  it.live("says which tools wait for approval, also once `pin` has changed", () =>
    Effect.gen(function* () {
      const stage = join(yield* inFolder, "stage")
      const entry = (pin: string) => ({ command: process.execPath, args: [inFixtures("rugPull.ts"), stage], pin })
      const { edit, live, pid, runtime, untilTools } = yield* editable(configOf({ sums: entry("block") }))
      const before = yield* pid("sums")
      yield* runtime.allTools
      for (const _ of [1, 2]) yield* runtime.call("mcp_sums_turn", {})
      yield* untilTools((names) => !names.includes("mcp_sums_add"))
      const add = Effect.map(runtime.plan(), ({ servers }) =>
        servers[0]!.tools.find(({ name }) => name === "mcp_sums_add")
      )
      assert.deepInclude(yield* add, { state: "withheld", pin: "changed" })
      yield* edit(configOf({ sums: entry("warn") }))
      yield* live.reload
      assert.deepInclude(yield* add, { state: "listed", pin: "changed" })
      assert.strictEqual(yield* pid("sums"), before)
    }).pipe(Effect.scoped)
  )
})
