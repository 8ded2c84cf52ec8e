import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { McpOffer, OfferChange } from "../../../src/services/listener/McpListener.ts"
import { call, offered, request, service, textOf } from "./live.ts"

/** What a client is told from now on. */
const told = Effect.fnUntraced(function* ({ changes }: McpOffer) {
  const seen: Array<OfferChange> = []
  yield* Effect.forkScoped(Stream.runForEach(changes, (change) => Effect.sync(() => void seen.push(change))))
  yield* TestClock.adjust("1 second")
  return seen
})

const tools = (...names: ReadonlyArray<string>) => names.map((name) => ({ name }))

describe("serve: changes", () => {
  it.effect("of a list are told when it is another one: nothing at the start, once for many at a time", () =>
    Effect.gen(function* () {
      const { servers, ...made } = yield* service({ a: { tools: tools("one") }, b: {} })
      const offer = yield* offered(made)
      const seen = yield* told(offer)
      yield* request(offer, "tools/list")
      yield* request(offer, "prompts/list")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(seen, [])
      yield* servers.setTools("a", tools("one", "two"))
      yield* servers.setTools("b", tools("three"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(seen, [{ kind: "tools" }])
    })
  )

  it.effect("that are none are not told, however often a server says so", () =>
    Effect.gen(function* () {
      const { servers, ...made } = yield* service({
        a: { tools: tools("one"), prompts: [{ name: "p" }], resources: [] }
      })
      const offer = yield* offered(made)
      const seen = yield* told(offer)
      yield* request(offer, "tools/list")
      for (let i = 0; i < 20; i++) {
        yield* servers.announceLists("a")
        yield* TestClock.adjust("1 second")
      }
      // Of prompts nobody has asked for anything.
      yield* servers.setPrompts("a", [{ name: "q" }])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(seen, [])
    })
  )

  it.effect("of resources and prompts are told as such, and of one resource by its URI", () =>
    Effect.gen(function* () {
      const resources = [{ uri: "x://1", name: "one" }]
      const { servers, ...made } = yield* service({ a: { resources, prompts: [] } })
      const offer = yield* offered(made)
      const seen = yield* told(offer)
      yield* request(offer, "resources/list")
      yield* request(offer, "prompts/list")
      // By now it is watched.
      yield* TestClock.adjust("5 seconds")
      yield* servers.announceResource("a", "x://1")
      yield* TestClock.adjust("5 seconds")
      yield* servers.setResources("a", [])
      yield* servers.setPrompts("a", [{ name: "p" }])
      yield* TestClock.adjust("5 seconds")
      assert.sameDeepMembers(seen, [{ kind: "resource", uri: "x://1" }, { kind: "resources" }, { kind: "prompts" }])
    })
  )

  it.effect("are told to every client, also of a list that another one has seen by then", () =>
    Effect.gen(function* () {
      const { servers, ...made } = yield* service({ a: { tools: tools("one") } })
      const offer = yield* offered(made)
      const seen = yield* told(offer)
      yield* request(offer, "tools/list")
      yield* servers.setTools("a", tools("two"))
      let names = ""
      for (; !names.includes("mcp_a_two"); names = JSON.stringify(yield* request(offer, "tools/list"))) {
        yield* TestClock.adjust("10 millis")
      }
      assert.deepStrictEqual(seen, [])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(seen, [{ kind: "tools" }])
    })
  )

  it.effect("a server that is late, or comes back, appears by itself; a call meanwhile says how it stands", () =>
    Effect.gen(function* () {
      const { servers, ...made } = yield* service({
        a: { tools: tools("one") },
        slow: { faults: { connectTime: "20 seconds", crashOnCall: 1 } }
      })
      const offer = yield* offered(made)
      const seen = yield* told(offer)
      yield* TestClock.adjust("5 seconds")
      const listed = () => Effect.map(request(offer, "tools/list"), ({ tools }) => JSON.stringify(tools))
      const first = yield* Effect.forkChild(listed())
      yield* TestClock.adjust("2 seconds")
      assert.notInclude(yield* Fiber.join(first), "mcp_slow_echo")
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(seen, [{ kind: "tools" }])
      assert.include(yield* listed(), "mcp_slow_echo")
      const lost = yield* call(offer, "mcp_slow_echo", { text: "x" })
      assert.isTrue(lost.isError)
      assert.include(textOf(lost), "may have been executed")
      yield* servers.setFaults("slow", {})
      yield* TestClock.adjust("1 minute")
      assert.notProperty(yield* call(offer, "mcp_slow_echo", { text: "x" }), "isError")
    })
  )
})
