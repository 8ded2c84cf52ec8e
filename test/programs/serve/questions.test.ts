import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { SERVE_LATE_MS } from "../../../src/schemas/defaults/Serve.ts"
import type { Root } from "../../../src/schemas/content/HostRequest.ts"
import type { TestServer } from "../../../src/testing.ts"
import {
  call,
  exchanging,
  loggerInto,
  offered,
  refusing,
  says,
  service,
  textOf,
  type Answer,
  type Loose,
  type Setup
} from "./live.ts"

const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }

/** A server whose tool asks what it is told to, and says what it got. */
const asker = (config: object = {}): TestServer => ({
  config: { sampling: "allow", ...config },
  tools: [
    {
      name: "ask",
      handle: ({ method, params, until }: Loose, { ask }: Loose) =>
        Effect.andThen(waits.get(until) ?? Effect.void, ask(method, params) as Effect.Effect<unknown>).pipe(
          Effect.map((answer) => ({ content: [{ type: "text", text: JSON.stringify(answer) }] }))
        )
    },
    { name: "wait", handle: ({ until }: Loose) => waits.get(until) }
  ]
})

const waits = new Map<string, Effect.Effect<unknown>>()

const ELICIT = {
  method: "elicitation/create",
  params: { message: "Who\u200b are you?", requestedSchema: FORM, _meta: { a: 1 } }
}
const SAMPLE = {
  method: "sampling/createMessage",
  params: {
    messages: [{ role: "user", content: { type: "text", text: "Say\u0007 hi" } }],
    systemPrompt: "Be brief",
    maxTokens: 10
  }
}

const asking = (
  answer: Answer | undefined,
  args: object,
  servers: Record<string, TestServer> = { fs: asker() },
  setup?: Setup
) =>
  Effect.gen(function* () {
    const offer = yield* offered(yield* service(servers, setup))
    const { asked, exchange } = exchanging(answer)
    const result = yield* call(offer, "mcp_fs_ask", args as Loose, exchange)
    return { asked, result, text: textOf(result) }
  })

describe("serve: what servers ask", () => {
  it.effect("a question goes to the client of the call, in clean words that say who asks; the answer goes back", () =>
    Effect.gen(function* () {
      const { asked, text } = yield* asking(says({ action: "accept", content: { name: "Ada", more: 1 } }), ELICIT)
      assert.lengthOf(asked, 1)
      const [{ method, params }] = asked as [Loose]
      assert.strictEqual(method, "elicitation/create")
      assert.strictEqual(params.message, 'The MCP server "fs" asks:\n> Who are you?')
      assert.deepStrictEqual(params.requestedSchema, FORM)
      assert.doesNotHaveAnyKeys(params, ["_meta", "mode"])
      assert.include(text, '{"action":"accept","content":{"name":"Ada"}}')
    })
  )

  it.effect("an address is passed on with the host that it leads to", () =>
    Effect.gen(function* () {
      const params = { mode: "url", message: "Pay", url: "https://pay.example/x", elicitationId: "1" }
      const { asked, text } = yield* asking(says({ action: "accept" }), { ...ELICIT, params })
      assert.include(asked[0]!.params.message, "The address is at pay.example.")
      assert.deepInclude(asked[0]!.params, { mode: "url", url: "https://pay.example/x", elicitationId: "1" })
      assert.include(text, '{"action":"accept"}')
    })
  )

  it.effect(
    "a no of the client, or an answer that is none, is one for the server; a client that is gone has not answered",
    () =>
      Effect.gen(function* () {
        for (const [answer, action] of [
          [refusing("refused"), "decline"],
          [refusing("unable"), "decline"],
          [refusing("gone"), "cancel"],
          [says({ action: "decline" }), "decline"],
          [says({ action: "accept", content: { name: 7 } }), "cancel"],
          [says({ nonsense: true }), "cancel"]
        ] as const) {
          const { text } = yield* asking(answer, ELICIT)
          assert.include(text, `{"action":"${action}"}`)
        }
      })
  )

  it.effect("a client that cannot be asked is not asked", () =>
    Effect.gen(function* () {
      const { asked, text } = yield* asking(undefined, ELICIT)
      assert.lengthOf(asked, 0)
      assert.include(text, '{"action":"decline"}')
      const sampled = yield* asking(undefined, SAMPLE)
      assert.lengthOf(sampled.asked, 0)
      assert.isTrue(sampled.result.isError)
    })
  )

  it.effect("a completion comes from the client's model, for servers that may ask it", () =>
    Effect.gen(function* () {
      const answer = says({
        role: "assistant",
        content: [{ type: "text", text: "hi" }, { type: "image" }],
        model: "m\u0007",
        stopReason: "endTurn"
      })
      const { asked, text } = yield* asking(answer, SAMPLE)
      const [{ method, params }] = asked as [Loose]
      assert.strictEqual(method, "sampling/createMessage")
      assert.deepStrictEqual(params.messages, [{ role: "user", content: { type: "text", text: "Say hi" } }])
      assert.include(params.systemPrompt, "> Be brief")
      assert.strictEqual(params.maxTokens, 10)
      assert.include(text, '"content":{"type":"text","text":"hi"},"model":"m","stopReason":"endTurn"')
      const denied = yield* asking(answer, SAMPLE, { fs: asker({ sampling: "deny" }) })
      assert.lengthOf(denied.asked, 0)
      assert.isTrue(denied.result.isError)
      assert.isTrue((yield* asking(says({ content: 1 }), SAMPLE)).result.isError)
    })
  )

  /** While another call waits at a server, one asks. */
  const meanwhile = (setup: Setup, other: { readonly server: string; readonly agent?: string }) =>
    Effect.suspend(() => {
      const logs: Array<string> = []
      return Effect.provide(meanwhileInto(logs, setup, other), loggerInto(logs))
    })

  const meanwhileInto = (
    logs: Array<string>,
    setup: Setup,
    other: { readonly server: string; readonly agent?: string }
  ) =>
    Effect.gen(function* () {
      const made = yield* service({ fs: asker(), other: asker() }, { ...setup, logs })
      const offer = yield* offered(made, setup.agents === undefined ? {} : { agent: setup.agents[0]! })
      const begun = yield* Deferred.make<void>()
      const until = `${Math.random()}`
      waits.set(until, Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      const first = exchanging(says({ action: "accept", content: { name: "first" } }))
      const waiting = yield* offered(made, other.agent === undefined ? {} : { agent: other.agent })
      const fiber = yield* Effect.forkChild(call(waiting, `mcp_${other.server}_wait`, { until }, first.exchange))
      yield* Deferred.await(begun)
      const second = exchanging(says({ action: "accept", content: { name: "second" } }))
      const text = textOf(yield* call(offer, "mcp_fs_ask", ELICIT as Loose, second.exchange))
      yield* Fiber.interrupt(fiber)
      const soon = textOf(yield* call(offer, "mcp_fs_ask", ELICIT as Loose, second.exchange))
      yield* TestClock.adjust(SERVE_LATE_MS)
      const again = textOf(yield* call(offer, "mcp_fs_ask", ELICIT as Loose, second.exchange))
      return { again, asked: [first.asked.length, second.asked.length], logs, soon, text }
    })

  it.effect(
    "of several clients only one whose request is alone at that server is asked; else it is declined, and logged",
    () =>
      Effect.gen(function* () {
        const { again, asked, logs, soon, text } = yield* meanwhile({ oneClient: false }, { server: "fs" })
        assert.include(text, '{"action":"decline"}')
        assert.include(
          logs.join("\n"),
          "a question of MCP server 'fs' was not passed on: clients have 2 requests under way there"
        )
        // The other one's call was cancelled: the server may still ask about it.
        assert.include(soon, '{"action":"decline"}')
        assert.include(logs.join("\n"), "it may be about a call of another client that has just ended")
        assert.include(again, '"name":"second"')
        assert.deepStrictEqual(asked, [0, 1])
      })
  )

  it.effect("what is asked about a call that came before its server did goes to no other client", () =>
    Effect.gen(function* () {
      const late: TestServer = { ...asker(), faults: { connectTime: "10 seconds" } }
      const made = yield* service({ fs: late }, { oneClient: false })
      const wait = () =>
        Effect.gen(function* () {
          const begun = yield* Deferred.make<void>()
          const going = yield* Deferred.make<void>()
          const until = `${Math.random()}`
          waits.set(until, Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(going)))
          return { until, begun: Deferred.await(begun), go: Deferred.succeed(going, undefined) }
        })
      const [early, other] = [yield* wait(), yield* wait()]
      const first = exchanging(says({ action: "accept", content: { name: "first" } }))
      const asks = { until: early.until, ...ELICIT } as Loose
      const asked = yield* Effect.forkChild(call(yield* offered(made), "mcp_fs_ask", asks, first.exchange))
      yield* TestClock.adjust("11 seconds")
      yield* early.begun
      const second = exchanging(says({ action: "accept", content: { name: "second" } }))
      const waiting = call(yield* offered(made), "mcp_fs_wait", { until: other.until }, second.exchange)
      const fiber = yield* Effect.forkChild(waiting)
      yield* other.begun
      yield* early.go
      assert.include(textOf(yield* Fiber.join(asked)), '{"action":"decline"}')
      assert.lengthOf(second.asked, 0)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("a request at another server is none at this one", () =>
    Effect.gen(function* () {
      const { text } = yield* meanwhile({ oneClient: false }, { server: "other" })
      assert.include(text, '"name":"second"')
    })
  )

  it.effect("a client that is the only one is asked whatever else it has under way", () =>
    Effect.gen(function* () {
      const { text } = yield* meanwhile({ oneClient: true }, { server: "fs" })
      assert.include(text, '"name":"second"')
    })
  )

  const agents = (share: boolean) => ({
    agents: {
      list: [
        { id: "a", mcp: { servers: { fs: { command: "in-memory", share } } } },
        { id: "b", mcp: { servers: { fs: { command: "in-memory", share } } } }
      ]
    }
  })

  it.effect("agents that share a server share the doubt; where each has its own, there is none", () =>
    Effect.gen(function* () {
      const shared = yield* meanwhile(
        { oneClient: false, agents: ["a", "b"], config: agents(true) },
        { server: "fs", agent: "b" }
      )
      assert.include(shared.text, '{"action":"decline"}')
      assert.include(shared.again, '"name":"second"')
      const own = yield* meanwhile(
        { oneClient: false, agents: ["a", "b"], config: agents(false) },
        { server: "fs", agent: "b" }
      )
      assert.include(own.text, '"name":"second"')
      assert.deepStrictEqual(own.asked, [0, 3])
    })
  )

  const ROOTS = { method: "roots/list", params: {} }
  const roots: ReadonlyArray<Root> = [{ uri: "file:///work", name: "work" }]

  it.effect("the one client's roots are those of the servers; of several clients nobody's are", () =>
    Effect.gen(function* () {
      for (const [oneClient, expected] of [
        [true, '{"roots":[{"uri":"file:///work","name":"work"}]}'],
        [false, "roots are not offered"]
      ] as const) {
        const answer = Effect.gen(function* () {
          const offer = yield* offered(yield* service({ fs: asker() }, { oneClient }), { roots: Stream.make(roots) })
          yield* Effect.yieldNow
          return textOf(yield* call(offer, "mcp_fs_ask", ROOTS as Loose))
        })
        assert.include(yield* Effect.scoped(answer), expected)
      }
    })
  )

  it.effect("roots that the operator names stand instead of the client's", () =>
    Effect.gen(function* () {
      const named = [{ uri: "file:///named" }]
      const offer = yield* offered(yield* service({ fs: asker() }, { roots: named }), { roots: Stream.make(roots) })
      yield* Effect.yieldNow
      assert.include(textOf(yield* call(offer, "mcp_fs_ask", ROOTS as Loose)), '{"roots":[{"uri":"file:///named"}]}')
    })
  )
})
