import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { approveBy, makeAsking, type Asked } from "../../../src/programs/mcpServer/asking.ts"
import type { ApprovalQuestion } from "../../../src/schemas/call/Approval.ts"
import type { ElicitationRequest } from "../../../src/schemas/content/HostRequest.ts"
import type { JsonObject } from "../../../src/schemas/data/Json.ts"
import { AskRefused } from "../../../src/schemas/listener/ListenerError.ts"
import type { RequestContext } from "../../../src/services/listener/McpListener.ts"

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
  const serverOf = (tool: string) =>
    tool.startsWith("mcp_files_") ? "files" : tool.startsWith("mcp_other_") ? "other" : undefined
  const order = (exchange: RequestContext, ...tools: ReadonlyArray<string>): Asked => ({
    exchange,
    calls: new Map(tools.map((tool, index) => [`c${index}`, tool]))
  })
  const accepted = Effect.succeed({ action: "accept", content: { name: "Ada" } } as JsonObject)

  it.effect("is asked only of the client whose order called it", () =>
    Effect.gen(function* () {
      const { elicit, orders } = makeAsking()
      const [mine, others] = [exchangeOf(accepted), exchangeOf(accepted)]
      orders.add(order(mine.exchange, "mcp_files_read"))
      orders.add(order(others.exchange, "mcp_other_read"))
      assert.deepStrictEqual(yield* elicit(form, serverOf), { action: "accept", content: { name: "Ada" } })
      assert.lengthOf(mine.asked, 1)
      assert.lengthOf(others.asked, 0)
      assert.include(JSON.stringify(mine.asked[0]), 'The MCP server \\"files\\" asks:\\n> Name?')
    })
  )

  it.effect("is not asked if it could belong to two orders or to none", () =>
    Effect.gen(function* () {
      const { elicit, orders } = makeAsking()
      const [one, two] = [exchangeOf(accepted), exchangeOf(accepted)]
      assert.deepStrictEqual(yield* elicit(form, serverOf), { action: "decline" })
      orders.add(order(one.exchange, "mcp_other_read"))
      assert.deepStrictEqual(yield* elicit(form, serverOf), { action: "decline" })
      orders.add(order(one.exchange, "mcp_files_read"))
      orders.add(order(two.exchange, "mcp_files_write"))
      assert.deepStrictEqual(yield* elicit(form, serverOf), { action: "decline" })
      assert.lengthOf([...one.asked, ...two.asked], 0)
    })
  )

  it.effect("may come from any server behind a tool that calls others", () =>
    Effect.gen(function* () {
      const { elicit, orders } = makeAsking()
      const { exchange } = exchangeOf(accepted)
      orders.add(order(exchange, "mcp_call"))
      assert.strictEqual((yield* elicit(form, serverOf)).action, "accept")
    })
  )

  it.effect("is declined for a client that cannot show it, and cancelled by one that fails", () =>
    Effect.gen(function* () {
      const { elicit, orders } = makeAsking()
      const broken = exchangeOf(Effect.fail(new AskRefused({ reason: "gone", detail: "gone" })))
      const one = order(broken.exchange, "mcp_files_read")
      orders.add(one)
      assert.deepStrictEqual(yield* elicit(address, serverOf), { action: "decline" })
      assert.deepStrictEqual(yield* elicit(form, serverOf), { action: "cancel" })
    })
  )

  it.effect("names the host of an address", () =>
    Effect.gen(function* () {
      const { elicit, orders } = makeAsking()
      const { asked, exchange } = exchangeOf(Effect.succeed({ action: "accept" }), { url: true })
      orders.add(order(exchange, "mcp_files_read"))
      assert.deepStrictEqual(yield* elicit(address, serverOf), { action: "accept" })
      assert.deepInclude(asked[0], { mode: "url", url: "https://x.y/z" })
      assert.include(asked[0]?.["message"], "The address is at x.y.")
      assert.isString(asked[0]?.["elicitationId"])
    })
  )
})
