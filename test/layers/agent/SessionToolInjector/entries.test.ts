import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { makeEntries } from "../../../../src/layers/agent/SessionToolInjector/entries.ts"
import { entryName, newInstance, ownerOf } from "../../../../src/layers/agent/SessionToolInjector/names.ts"
import { MINUTE_MS } from "../../../../src/schemas/defaults/CallLimits.ts"
import { INJECTED_PATCH_PAUSE_MAX_MS, INJECTED_PATCH_TRIES } from "../../../../src/schemas/defaults/Injection.ts"
import { GatewayError } from "../../../../src/schemas/agent/GatewayError.ts"
import { GatewayLink } from "../../../../src/services/agent/GatewayLink.ts"
import { CONFLICT, makeFakeGateway, type Options } from "../../../support/gatewayLink.ts"

const self = newInstance()
const name = (number: number) => entryName(self, number)
const ENTRY = { url: "http://127.0.0.1:1/x", enabled: false }

const setup = Effect.fnUntraced(function* (options: Options = {}) {
  const gateway = yield* makeFakeGateway(options)
  const { operator } = yield* Effect.provide(GatewayLink, gateway.layer)
  return { ...gateway, entries: yield* makeEntries(operator, self) }
})

/** Fails each `config.patch` with the next of these, and then does what it is asked. */
const failures = (...errors: ReadonlyArray<GatewayError>) => {
  const left = [...errors]
  return ({ method }: { readonly method: string }) => (method === "config.patch" ? left.shift() : undefined)
}

const LIMITED = new GatewayError({
  code: "UNAVAILABLE",
  detail: "rate limit exceeded for config.patch; retry after 42s"
})

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Time passes until it is done. */
const passing = <A, E>(fiber: Fiber.Fiber<A, E>, ms: number) =>
  Effect.andThen(
    Effect.repeat(Effect.andThen(turn, TestClock.adjust(ms)), { until: () => fiber.pollUnsafe() !== undefined }),
    Fiber.join(fiber)
  )

describe("the names of session entries in a gateway's configuration", () => {
  it("identify their process, and are short enough for a prefix of tool names", () => {
    const longest = entryName(self, 36 ** 8 - 1)
    assert.isAtMost(longest.length, 30)
    assert.deepStrictEqual(ownerOf(longest), self)
    assert.strictEqual(newInstance().machine, self.machine)
    assert.notStrictEqual(newInstance().id, self.id)
    for (const other of ["mcp-live", "mcp-live-mine", `${name(1)}x-y`, "MCP-LIVE-abc-12345-1", "fs", "__proto__"]) {
      assert.isUndefined(ownerOf(other), other)
    }
  })
})

describe("session entries in a gateway's configuration", () => {
  it.effect("are added and removed without changing other entries", () =>
    Effect.gen(function* () {
      const { entries, servers } = yield* setup()
      servers["fs"] = { command: "fs" }
      servers["mcp-live-mine"] = { command: "mine" }
      entries.want(name(1), ENTRY)
      assert.deepStrictEqual(yield* entries.settle, [name(1)])
      assert.deepStrictEqual(servers, { fs: { command: "fs" }, "mcp-live-mine": { command: "mine" }, [name(1)]: ENTRY })
      entries.forget(name(1))
      assert.deepStrictEqual(yield* entries.settle, [])
      assert.deepStrictEqual(Object.keys(servers), ["fs", "mcp-live-mine"])
    })
  )

  it.live("are changed together in one config.patch", () =>
    Effect.gen(function* () {
      const { count, entries, servers } = yield* setup()
      const many = Array.from({ length: 100 }, (_, index) => name(index + 1))
      const each = (change: (one: string) => void) =>
        Effect.forEach(
          many,
          (one) =>
            Effect.andThen(
              Effect.sync(() => change(one)),
              entries.settle
            ),
          {
            concurrency: "unbounded"
          }
        )
      yield* each((one) => entries.want(one, ENTRY))
      assert.deepStrictEqual([Object.keys(servers).length, count("config.get"), count("config.patch")], [100, 1, 1])
      yield* each((one) => entries.forget(one))
      assert.deepStrictEqual([Object.keys(servers).length, count("config.get"), count("config.patch")], [0, 2, 2])
    })
  )

  it.live("are not written again when they are up to date", () =>
    Effect.gen(function* () {
      const { count, entries } = yield* setup()
      entries.want(name(1), ENTRY)
      yield* entries.settle
      yield* entries.settle
      assert.strictEqual(count("config.patch"), 1)
    })
  )

  it.effect("are written again on the new configuration after a conflict", () =>
    Effect.gen(function* () {
      const { asked, entries, servers } = yield* setup({ failing: failures(CONFLICT, CONFLICT) })
      entries.want(name(1), ENTRY)
      const settling = yield* Effect.forkChild(entries.settle)
      yield* passing(settling, 1000)
      assert.deepStrictEqual(Object.keys(servers), [name(1)])
      assert.deepStrictEqual(
        asked.map(({ method }) => method),
        ["config.get", "config.patch", "config.get", "config.patch", "config.get", "config.patch"]
      )
    })
  )

  it.effect("are written again after the gateway's rate limit", () =>
    Effect.gen(function* () {
      const { count, entries, servers } = yield* setup({
        failing: ({ method }) => (method === "config.patch" && isLimited ? LIMITED : undefined)
      })
      let isLimited = true
      entries.want(name(1), ENTRY)
      const settling = yield* Effect.forkChild(entries.settle)
      yield* Effect.repeat(turn, { until: () => count("config.patch") > 0 })
      yield* TestClock.adjust(MINUTE_MS)
      assert.deepStrictEqual(servers, {})
      isLimited = false
      yield* passing(settling, INJECTED_PATCH_PAUSE_MAX_MS)
      assert.deepStrictEqual(Object.keys(servers), [name(1)])
      assert.isAtMost(count("config.patch"), INJECTED_PATCH_TRIES)
    })
  )

  it.effect("fail after a number of conflicts, and at once for other errors", () =>
    Effect.gen(function* () {
      const refused = new GatewayError({ code: "FORBIDDEN", detail: "missing scope: operator.admin" })
      const { count, entries } = yield* setup({ failing: failures(refused) })
      entries.want(name(1), ENTRY)
      assert.strictEqual((yield* Effect.flip(entries.settle)).detail, refused.detail)
      assert.strictEqual(count("config.patch"), 1)

      const busy = yield* setup({ failing: ({ method }) => (method === "config.patch" ? CONFLICT : undefined) })
      busy.entries.want(name(1), ENTRY)
      const settling = yield* Effect.forkChild(Effect.flip(busy.entries.settle))
      assert.strictEqual((yield* passing(settling, MINUTE_MS)).detail, CONFLICT.detail)
      assert.strictEqual(busy.count("config.patch"), INJECTED_PATCH_TRIES)
    })
  )

  it.effect("tolerate malformed answers of the gateway", () =>
    Effect.gen(function* () {
      const { operator } = yield* Effect.provide(GatewayLink, (yield* makeFakeGateway()).layer)
      for (const answer of [
        undefined,
        null,
        7,
        "x",
        [],
        { config: null },
        { config: { mcp: [] } },
        { config: { mcp: { servers: 7 } } }
      ]) {
        const entries = yield* makeEntries({ ...operator, request: () => Effect.succeed(answer) }, self)
        entries.want(name(1), ENTRY)
        assert.deepStrictEqual(yield* entries.settle, [name(1)])
        yield* entries.lookForLeftovers
      }
    })
  )
})
