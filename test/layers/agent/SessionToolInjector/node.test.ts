import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { layerNode } from "../../../../src/layers/agent/SessionToolInjector.ts"
import { NODE_CALLS_MAX, NODE_RESULT_MAX_BYTES, NODE_TOOLS_MAX } from "../../../../src/schemas/defaults/Injection.ts"
import { IMAGES_MAX_CHARS } from "../../../../src/schemas/defaults/Results.ts"
import { JSON_MAX_DEPTH } from "../../../../src/schemas/defaults/Wire.ts"
import { SessionToolInjector } from "../../../../src/services/agent/SessionToolInjector.ts"
import { makeFakeGateway, type Options } from "../../../support/gatewayLink.ts"
import { textResult, toolRuntime, type TestTool } from "../../../support/toolRuntime.ts"

const says = (text: string): TestTool => ({
  run: (args) => Effect.succeed(textResult(`${text} ${JSON.stringify(args)}`))
})

/** Waits for ever, and says when it begins and when it is interrupted. */
const waiting = () => {
  const begun = Deferred.makeUnsafe<void>()
  const interrupted = Deferred.makeUnsafe<void>()
  const run = () =>
    Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
    )
  return { begun: Deferred.await(begun), interrupted: Deferred.await(interrupted), tool: { run } }
}

/** What is under way in other fibers is done. */
const settled = Effect.gen(function* () {
  for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
})

const scenario = (
  name: string,
  body: (gateway: Effect.Success<ReturnType<typeof setup>>) => Effect.Effect<void, unknown, Scope.Scope>,
  options: Options = {}
) => it.live(name, () => Effect.scoped(Effect.flatMap(setup(options), body)))

const setup = Effect.fnUntraced(function* (options: Options) {
  const gateway = yield* makeFakeGateway({ local: false, ...options })
  const context = yield* Layer.build(Layer.provide(layerNode, gateway.layer))
  const { inject } = Context.get(context, SessionToolInjector)
  let ids = 0
  /** Calls a published tool for a session; gives the id of the call. */
  const invoke = Effect.fnUntraced(function* (
    sessionKey: unknown,
    name: string,
    args: unknown = {},
    known: ReadonlyArray<Record<string, unknown>> = gateway.nodeTools()
  ) {
    const published = known.find((tool) => tool["name"] === name)
    const id = `call-${++ids}`
    const paramsJSON = JSON.stringify({ ...(published?.["mcp"] as object), arguments: args })
    yield* gateway.send("node.invoke.request", {
      id,
      nodeId: "n",
      command: published?.["command"] ?? "mcp.tools.call.v1",
      sessionKey,
      paramsJSON,
      timeoutMs: 120_000,
      idempotencyKey: id
    })
    yield* settled
    return id
  })
  const resultOf = (id: string) => gateway.results.find((result) => result["id"] === id)
  const textOf = (id: string) =>
    (resultOf(id)?.["payload"] as { content?: Array<{ text: string }> } | undefined)?.content?.[0]?.text
  return { ...gateway, inject, invoke, resultOf, textOf, names: () => gateway.nodeTools().map(({ name }) => name) }
})

describe("session tools published by a node", () => {
  scenario(
    "are published with their descriptions and schemas, and answer for the session that they belong to",
    ({ inject, invoke, nodeTools, resultOf }) =>
      Effect.gen(function* () {
        yield* inject("agent:main:a", toolRuntime({ mcp__fs__read: says("read") }))
        const [{ mcp, ...published } = {}] = nodeTools()
        assert.deepStrictEqual(published, {
          pluginId: "node-mcp",
          name: "mcp__fs__read",
          description: "The tool mcp__fs__read.",
          parameters: { type: "object", properties: {} },
          command: "mcp.tools.call.v1"
        })
        assert.deepInclude(mcp, { tool: "mcp__fs__read" })
        const id = yield* invoke("agent:main:a", "mcp__fs__read", { path: "/a" })
        assert.deepStrictEqual(resultOf(id), {
          id,
          nodeId: "n",
          ok: true,
          payload: { content: [{ type: "text", text: 'read {"path":"/a"}' }] }
        })
      })
  )

  scenario(
    "reach each session's own where several have the same, and nobody else's",
    ({ inject, invoke, names, textOf }) =>
      Effect.gen(function* () {
        const sessions = Array.from({ length: 20 }, (_, index) => `agent:main:s${index}`)
        yield* Effect.forEach(sessions, (key) => inject(key, toolRuntime({ mcp__fs__read: says(key) })), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(names(), ["mcp__fs__read"])
        for (const key of sessions) {
          assert.strictEqual(textOf(yield* invoke(key, "mcp__fs__read")), `${key} {}`)
        }
        assert.strictEqual(textOf(yield* invoke(" AGENT:MAIN:S0 ", "mcp__fs__read")), "agent:main:s0 {}")
      })
  )

  scenario("are refused to every other session, in words", ({ inject, invoke, textOf }) =>
    Effect.gen(function* () {
      let calls = 0
      const counted: TestTool = { run: () => Effect.sync(() => textResult(String(++calls))) }
      yield* inject("agent:main:a", toolRuntime({ mcp__fs__read: counted }))
      yield* inject("agent:main:b", toolRuntime({ mcp__fs__write: counted }))
      // The same name, another tool: what b is shown under it is not b's.
      yield* inject("agent:main:c", toolRuntime({ mcp__fs__read: { ...counted, description: "Another." } }))
      for (const [key, name] of [
        ["agent:main:x", "mcp__fs__read"],
        ["agent:main:b", "mcp__fs__read"],
        ["agent:main:c", "mcp__fs__read"],
        ["agent:main:a", "mcp__fs__delete"],
        [undefined, "mcp__fs__read"],
        [7, "mcp__fs__read"],
        ["__proto__", "mcp__fs__read"]
      ] as const) {
        assert.match(String(textOf(yield* invoke(key, name))), /belongs to another session/, `${String(key)} ${name}`)
      }
      assert.strictEqual(calls, 0)
    })
  )

  scenario("survive whatever a gateway sends", ({ inject, invoke, results, send, textOf }) =>
    Effect.gen(function* () {
      yield* inject("agent:main:a", toolRuntime({ mcp__fs__read: says("read") }))
      const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
      for (const payload of [undefined, null, 7, "x", [], {}, { id: 1, nodeId: "n" }, { id: "x" }]) {
        yield* send("node.invoke.request", payload)
        yield* send("node.invoke.cancel", payload)
      }
      yield* settled
      assert.deepStrictEqual(results, [])
      for (const paramsJSON of [undefined, null, 7, "", "{", "[]", "null", deep]) {
        yield* send("node.invoke.request", {
          id: `odd-${String(paramsJSON).slice(0, 4)}`,
          nodeId: "n",
          command: "mcp.tools.call.v1",
          sessionKey: "agent:main:a",
          paramsJSON
        })
      }
      yield* settled
      assert.strictEqual(results.length, 8)
      for (const args of [null, 7, "x", []]) {
        assert.match(String(textOf(yield* invoke("agent:main:a", "mcp__fs__read", args))), /must be an object/)
      }
      const nested = JSON.parse(`{"x":${"[".repeat(JSON_MAX_DEPTH)}${"]".repeat(JSON_MAX_DEPTH)}}`) as unknown
      assert.notInclude(String(textOf(yield* invoke("agent:main:a", "mcp__fs__read", nested))), "read")
      assert.strictEqual(textOf(yield* invoke("agent:main:a", "mcp__fs__read")), "read {}")
    })
  )

  scenario(
    "are interrupted when the gateway cancels a call, which is then not answered",
    ({ inject, invoke, resultOf, send, textOf }) =>
      Effect.gen(function* () {
        const { begun, interrupted, tool } = waiting()
        yield* inject("agent:main:a", toolRuntime({ mcp__fs__slow: tool, mcp__fs__read: says("read") }))
        const id = yield* invoke("agent:main:a", "mcp__fs__slow")
        yield* begun
        yield* send("node.invoke.cancel", { invokeId: id, nodeId: "n" })
        yield* interrupted
        yield* settled
        assert.isUndefined(resultOf(id))
        assert.strictEqual(textOf(yield* invoke("agent:main:a", "mcp__fs__read")), "read {}")
      })
  )

  scenario(
    "end with their session: what runs is interrupted and answered, and the tools are gone",
    ({ inject, invoke, names, nodeTools, textOf }) =>
      Effect.gen(function* () {
        const { begun, interrupted, tool } = waiting()
        const session = yield* Scope.make()
        yield* inject("agent:main:a", toolRuntime({ mcp__fs__slow: tool })).pipe(Scope.provide(session))
        yield* inject("agent:main:b", toolRuntime({ mcp__fs__read: says("read") }))
        const id = yield* invoke("agent:main:a", "mcp__fs__slow")
        yield* begun
        const before = nodeTools()
        yield* Scope.close(session, Exit.void)
        yield* interrupted
        yield* settled
        assert.match(String(textOf(id)), /the session that it belongs to has ended/)
        assert.deepStrictEqual(names(), ["mcp__fs__read"])
        // From a gateway that has not heard of it yet.
        const late = yield* invoke("agent:main:a", "mcp__fs__slow", {}, before)
        assert.match(String(textOf(late)), /belongs to another session/)
      })
  )

  scenario(
    "are published again after a new connection; calls of the old one are interrupted",
    ({ inject, invoke, names, reconnect, resultOf, textOf }) =>
      Effect.gen(function* () {
        const { begun, interrupted, tool } = waiting()
        yield* inject("agent:main:a", toolRuntime({ mcp__fs__slow: tool, mcp__fs__read: says("read") }))
        const id = yield* invoke("agent:main:a", "mcp__fs__slow")
        yield* begun
        yield* reconnect
        yield* interrupted
        yield* settled
        assert.isUndefined(resultOf(id))
        assert.deepStrictEqual(names(), ["mcp__fs__slow", "mcp__fs__read"])
        assert.strictEqual(textOf(yield* invoke("agent:main:a", "mcp__fs__read")), "read {}")
      })
  )

  scenario("are no more than a gateway takes, over all sessions; who would be over is told", ({ inject, names }) =>
    Effect.gen(function* () {
      const many = (prefix: string, count: number) =>
        toolRuntime(
          Object.fromEntries(Array.from({ length: count }, (_, index) => [`mcp__${prefix}__t${index}`, says("t")]))
        )
      yield* inject("agent:main:a", many("a", NODE_TOOLS_MAX - 1))
      const error = yield* Effect.flip(Effect.scoped(inject("agent:main:b", many("b", 2))))
      assert.include(error.message, `takes ${NODE_TOOLS_MAX} tools of a node, and with this session there would be 129`)
      yield* inject("agent:main:c", many("c", 1))
      assert.strictEqual(names().length, NODE_TOOLS_MAX)
    })
  )

  scenario(
    "that a gateway does not take are said to be missing",
    ({ inject }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          Effect.scoped(inject("agent:main:a", toolRuntime({ mcp__fs__read: says("read") })))
        )
        assert.include(error.message, "gateway.nodes.pluginTools.enabled")
      }),
    { nodeToolsMax: 0 }
  )

  scenario(
    "give a result that fits a frame: images that do not are left out, and said to be",
    ({ inject, invoke, resultOf }) =>
      Effect.gen(function* () {
        const image = (chars: number) => ({ type: "image" as const, data: "A".repeat(chars), mimeType: "image/png" })
        const pictures = (...sizes: ReadonlyArray<number>): TestTool => ({
          run: () =>
            Effect.succeed({ ...textResult("look"), content: [{ type: "text", text: "look" }, ...sizes.map(image)] })
        })
        yield* inject(
          "agent:main:a",
          toolRuntime({
            mcp__fs__fits: pictures(IMAGES_MAX_CHARS),
            mcp__fs__over: pictures(NODE_RESULT_MAX_BYTES / 2, NODE_RESULT_MAX_BYTES / 2)
          })
        )
        const typesOf = (id: string) =>
          (resultOf(id)!["payload"] as { content: Array<{ type: string }> }).content.map(({ type }) => type)
        assert.deepStrictEqual(typesOf(yield* invoke("agent:main:a", "mcp__fs__fits")), ["text", "image"])
        const over = yield* invoke("agent:main:a", "mcp__fs__over")
        assert.deepStrictEqual(typesOf(over), ["text", "text", "text"])
        assert.include(JSON.stringify(resultOf(over)), "An image was left out")
      })
  )

  scenario("run only so many calls at the same time", ({ inject, invoke, send, textOf }) =>
    Effect.gen(function* () {
      const slow: TestTool = { run: () => Effect.never }
      yield* inject("agent:main:a", toolRuntime({ mcp__fs__slow: slow, mcp__fs__read: says("read") }))
      const first = yield* invoke("agent:main:a", "mcp__fs__slow")
      for (let count = 1; count < NODE_CALLS_MAX; count++) yield* invoke("agent:main:a", "mcp__fs__slow")
      assert.match(String(textOf(yield* invoke("agent:main:a", "mcp__fs__read"))), /Too many calls/)
      yield* send("node.invoke.cancel", { invokeId: first, nodeId: "n" })
      yield* settled
      assert.strictEqual(textOf(yield* invoke("agent:main:a", "mcp__fs__read")), "read {}")
    })
  )
})
