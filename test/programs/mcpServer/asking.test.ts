import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { approveBy, makeAsking, type Asked, type Asking } from "../../../src/programs/mcpServer/asking.ts"
import type { AgentEvent } from "../../../src/schemas/agent/AgentEvent.ts"
import type { ApprovalQuestion } from "../../../src/schemas/call/Approval.ts"
import type { ElicitationRequest } from "../../../src/schemas/content/HostRequest.ts"
import type { JsonObject } from "../../../src/schemas/data/Json.ts"
import { SERVE_LATE_ANSWERED_MS, SERVE_LATE_MS } from "../../../src/schemas/defaults/Serve.ts"
import { AskRefused } from "../../../src/schemas/listener/ListenerError.ts"
import type { RequestContext } from "../../../src/services/listener/McpListener.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const question: ApprovalQuestion = {
  agent: "main",
  server: "files",
  tool: "delete",
  exposed: "mcp_files_delete",
  rule: "ask: files/*",
  arguments: 'path: "/a"',
  changed: false
}
const call = { id: "c1", name: "mcp_files_delete" }
const signal = () => new AbortController().signal

interface Made {
  readonly form?: boolean
  readonly url?: boolean
}

const exchangeOf = (answer: Effect.Effect<JsonObject, AskRefused>, { form = true, url = false }: Made = {}) => {
  const asked: Array<JsonObject> = []
  const exchange: RequestContext = {
    can: { elicitation: { form, url }, sampling: false, roots: false },
    ask: (_, params) => {
      asked.push(params)
      return answer
    },
    progress: () => {},
    log: () => {}
  }
  return { asked, exchange }
}

const answered = (answer: unknown) => Effect.succeed({ action: "accept", content: { answer } } as JsonObject)

describe("whether a tool may be called", () => {
  it.effect("is a question with everything that it is about, and no way to allow for good", () =>
    Effect.gen(function* () {
      const { asked, exchange } = exchangeOf(answered("once"))
      assert.strictEqual(yield* approveBy(exchange)!(question, call, signal()), "once")
      const text = JSON.stringify(asked[0])
      for (const word of ["files", "delete", "ask: files/*", "/a"]) assert.include(text, word)
      assert.notInclude(text, "always")
      yield* approveBy(exchange)!({ ...question, changed: true, arguments: "" }, call, signal())
      assert.match(JSON.stringify(asked[1]), /Careful:.*Without arguments/)
    })
  )

  it.effect("is denied by any malformed answer", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<unknown> = [
        { action: "accept", content: { answer: "always" } },
        { action: "accept", content: { answer: ["once"] } },
        { action: "accept", content: "once" },
        { action: "accept" },
        { action: "decline", content: { answer: "once" } },
        { action: "cancel" },
        { content: { answer: "once" } },
        { action: "accept", content: { __proto__: { answer: "maybe" } } },
        {}
      ]
      for (const answer of answers) {
        const { exchange } = exchangeOf(Effect.succeed(answer as JsonObject))
        assert.strictEqual(yield* approveBy(exchange)!(question, call, signal()), "deny", JSON.stringify(answer))
      }
    })
  )

  it("is undecided if the client cannot be asked", () => {
    assert.isUndefined(approveBy(exchangeOf(answered("once"), { form: false, url: true }).exchange))
  })

  it.effect("is withdrawn when its call is cancelled", () =>
    Effect.gen(function* () {
      const gone = yield* Deferred.make<void>()
      const { exchange } = exchangeOf(Effect.onInterrupt(Effect.never, () => Deferred.succeed(gone, undefined)))
      const controller = new AbortController()
      const fiber = yield* Effect.forkChild(approveBy(exchange)!(question, call, controller.signal))
      yield* Effect.yieldNow
      controller.abort()
      yield* Deferred.await(gone)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    })
  )
})

describe("what a server wants to know", () => {
  const form: ElicitationRequest = {
    mode: "form",
    server: "files",
    message: "Name?",
    requestedSchema: { type: "object", properties: {} }
  }
  const address: ElicitationRequest = {
    mode: "url",
    server: "files",
    message: "Go",
    url: "https://x.y/z",
    host: "x.y",
    elicitationId: undefined
  }
  const SERVERS = ["files", "other"]
  const tools = Effect.succeed(SERVERS.map((server) => ({ name: `mcp_${server}_read`, server })))
  const asked = (exchange: RequestContext, client = "desk", more: Partial<Asked> = {}): Asked => ({
    exchange,
    client,
    tools,
    ...more
  })
  const called = (tool: string, id = "c1"): AgentEvent => ({
    _tag: "ToolCall",
    id,
    name: tool,
    args: {}
  })
  const answeredCall = (tool: string, id = "c1"): AgentEvent => ({
    _tag: "ToolResult",
    id,
    name: tool,
    result: { content: [], isError: false, details: {} as never }
  })
  const accepted = Effect.succeed({ action: "accept", content: { name: "Ada" } } as JsonObject)
  const ACCEPTED = { action: "accept", content: { name: "Ada" } }

  /** A request that runs until the test ends, or until its fiber is interrupted. */
  const ordered = (asking: Asking, one: Asked, ...events: ReadonlyArray<AgentEvent>) =>
    Effect.forkChild(
      asking.during(one, (hear) => {
        events.forEach(hear)
        return Effect.never
      }),
      { startImmediately: true }
    )

  it.effect("is asked only of the client whose order called it", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const [mine, others] = [exchangeOf(accepted), exchangeOf(accepted)]
      yield* ordered(asking, asked(mine.exchange), called("mcp_files_read"))
      yield* ordered(asking, asked(others.exchange, "ci"), called("mcp_other_read"))
      assert.deepStrictEqual(yield* asking.elicit(form), ACCEPTED as never)
      assert.lengthOf(mine.asked, 1)
      assert.lengthOf(others.asked, 0)
      assert.include(JSON.stringify(mine.asked[0]), 'The MCP server \\"files\\" asks:\\n> Name?')
    })
  )

  it.effect("is looked for among the tools of the agent that has the order", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const [mine, others] = [exchangeOf(accepted), exchangeOf(accepted)]
      const coders = { tools: Effect.succeed([{ name: "mcp_code_run", server: "code" }]) }
      yield* ordered(asking, asked(others.exchange, "ci", coders), called("mcp_code_run"))
      assert.deepStrictEqual(yield* asking.elicit(form), { action: "decline" })
      yield* ordered(asking, asked(mine.exchange), called("mcp_files_read"))
      assert.deepStrictEqual(yield* asking.elicit(form), ACCEPTED as never)
      assert.lengthOf(others.asked, 0)
    })
  )

  it.effect("is not asked if it could belong to two orders or to none", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const [one, two] = [exchangeOf(accepted), exchangeOf(accepted)]
      assert.deepStrictEqual(yield* asking.elicit(form), { action: "decline" })
      yield* ordered(asking, asked(one.exchange), called("mcp_other_read"))
      assert.deepStrictEqual(yield* asking.elicit(form), { action: "decline" })
      yield* ordered(asking, asked(one.exchange), called("mcp_files_read"))
      yield* ordered(asking, asked(two.exchange), called("mcp_files_read"))
      assert.deepStrictEqual(yield* asking.elicit(form), { action: "decline" })
      assert.lengthOf([...one.asked, ...two.asked], 0)
    })
  )

  it.effect("may be about a call of another client that has just ended: then nobody is asked", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const [mine, others] = [exchangeOf(accepted), exchangeOf(accepted)]
      const cancelled = yield* ordered(asking, asked(others.exchange, "ci"), called("mcp_files_read"))
      yield* Fiber.interrupt(cancelled)
      yield* ordered(asking, asked(mine.exchange), called("mcp_files_read"))
      assert.deepStrictEqual(yield* asking.elicit(form), { action: "decline" })
      yield* TestClock.adjust(SERVE_LATE_MS)
      assert.deepStrictEqual(yield* asking.elicit(form), ACCEPTED as never)
      yield* ordered(
        asking,
        asked(others.exchange, "ci"),
        called("mcp_files_read"),
        answeredCall("mcp_files_read"),
        called("mcp_other_read", "c2")
      )
      assert.deepStrictEqual(yield* asking.elicit(form), { action: "decline" })
      yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
      assert.deepStrictEqual(yield* asking.elicit(form), ACCEPTED as never)
      assert.lengthOf(others.asked, 0)
    })
  )

  it.effect("may be about an earlier call of the same client, which is asked", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const { exchange } = exchangeOf(accepted)
      yield* Fiber.interrupt(yield* ordered(asking, asked(exchange), called("mcp_files_read")))
      yield* ordered(asking, asked(exchange), called("mcp_files_read"))
      assert.deepStrictEqual(yield* asking.elicit(form), ACCEPTED as never)
    })
  )

  it.effect("may be about a call that is no client's: then nobody is asked", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const { asked: told, exchange } = exchangeOf(accepted)
      const [files, other] = ["files", "other"].map((name) => serverConfig(name))
      assert.deepStrictEqual(yield* asking.unasked([files!], asking.elicit(form)), { action: "decline" })
      yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
      yield* ordered(asking, asked(exchange), called("mcp_files_read"))
      assert.deepStrictEqual(yield* asking.unasked([files!, other!], asking.elicit(form)), { action: "decline" })
      assert.deepStrictEqual(yield* asking.elicit(form), { action: "decline" })
      yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
      assert.lengthOf(told, 0)
      assert.deepStrictEqual(yield* asking.unasked([other!], asking.elicit(form)), ACCEPTED as never)
    })
  )

  it.effect("may come from any server behind a tool that calls others", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const { exchange } = exchangeOf(accepted)
      yield* ordered(asking, asked(exchange), called("mcp_call"))
      assert.strictEqual((yield* asking.elicit(form)).action, "accept")
    })
  )

  it.effect("is declined for a client that cannot show it, and cancelled by one that fails", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const broken = exchangeOf(Effect.fail(new AskRefused({ reason: "gone", detail: "gone" })))
      yield* ordered(asking, asked(broken.exchange), called("mcp_files_read"))
      assert.deepStrictEqual(yield* asking.elicit(address), { action: "decline" })
      assert.deepStrictEqual(yield* asking.elicit(form), { action: "cancel" })
    })
  )

  it.effect("names the host of an address", () =>
    Effect.gen(function* () {
      const asking = makeAsking()
      const { asked: told, exchange } = exchangeOf(Effect.succeed({ action: "accept" }), { url: true })
      yield* ordered(asking, asked(exchange), called("mcp_files_read"))
      assert.deepStrictEqual(yield* asking.elicit(address), { action: "accept" })
      assert.deepInclude(told[0], { mode: "url", url: "https://x.y/z" })
      assert.include(told[0]?.["message"], "The address is at x.y.")
      assert.isString(told[0]?.["elicitationId"])
    })
  )
})
