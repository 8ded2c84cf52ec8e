import { assert, describe, it } from "@effect/vitest"
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { request } from "node:http"
import { LISTENER_CALL_MAX_BYTES, LISTENER_REQUESTS_MAX } from "../../../src/schemas/defaults/Listener.ts"
import { JSON_MAX_DEPTH } from "../../../src/schemas/defaults/Wire.ts"
import { openEndpoint, type Served } from "../../../src/layers/agent/SessionToolInjector/endpoint.ts"
import { alivePath } from "../../../src/layers/agent/SessionToolInjector/names.ts"
import { listenerLayer } from "../../support/listener.ts"
import { ambiguous, statusOf } from "../../support/rawSocket.ts"
import type { McpRuntimeShape } from "../../../src/services/call/McpRuntime.ts"
import { McpListener } from "../../../src/services/listener/McpListener.ts"
import { textResult, toolRuntime, type TestTool } from "../../support/toolRuntime.ts"

const INSTANCE = "abc123"
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const echo = (secret: string): TestTool => ({
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: ({ text }) => Effect.succeed(textResult(`${secret}: ${String(text)}`))
})

/** As a server that takes its time to cancel. */
const aFewRounds = Effect.promise(async () => {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
})

/** Waits for ever, and says when it begins and when it is interrupted. */
const waiting = () => {
  const begun = Deferred.makeUnsafe<void>()
  const interrupted = Deferred.makeUnsafe<void>()
  const tool: TestTool = {
    run: () =>
      Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Effect.andThen(aFewRounds, Deferred.succeed(interrupted, undefined)))
      )
  }
  return { begun: Deferred.await(begun), interrupted: Deferred.await(interrupted), tool }
}

const scoped = <A, E>(name: string, body: () => Effect.Effect<A, E, McpListener | Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()).pipe(Effect.provide(listenerLayer)))

const serve = (tools: McpRuntimeShape) =>
  Effect.flatMap(McpListener, (listener) => openEndpoint(listener, randomUUID(), INSTANCE, tools))

const cancellation = () => new AbortController()

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

interface Options {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: unknown) => void
}

interface Called {
  readonly content: unknown
  readonly isError: unknown
}

interface Opened {
  readonly list: () => Promise<ReadonlyArray<object>>
  readonly call: (name: string, args?: Record<string, unknown>, options?: Options) => Promise<Called>
  readonly close: () => Promise<void>
}

const called = ({
  content,
  isError
}: {
  readonly content?: unknown
  readonly isError?: unknown
  readonly [key: string]: unknown
}): Called => ({ content, isError })

const opened = (open: () => Promise<Opened>) =>
  Effect.acquireRelease(Effect.promise(open), (client) => Effect.promise(() => client.close()))

/** As OpenClaw does. */
const legacy = ({ secret, url }: Served) =>
  opened(async () => {
    const client = new Client({ name: "test", version: "0" })
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer(secret) } })
    // Its types were written without exact optional properties.
    await client.connect(transport as Parameters<Client["connect"]>[0])
    return {
      list: async () => (await client.listTools()).tools,
      call: (name, args = {}, options = {}) =>
        client.callTool({ name, arguments: args }, undefined, options).then(called),
      close: () => client.close()
    }
  })

const modern = ({ secret, url }: Served) =>
  opened(async () => {
    const client = new ModernClient(
      { name: "test", version: "0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } }
    )
    await client.connect(new ModernTransport(new URL(url), { requestInit: { headers: bearer(secret) } }))
    return {
      list: async () => (await client.listTools()).tools,
      call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options).then(called),
      close: () => client.close()
    }
  })

interface Answer {
  readonly status: number
  readonly text: string
}

/** What the header `host` says is up to us, unlike with `fetch`. */
const send = (url: string, headers: Record<string, string>, body = "", method = "POST"): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    const sent = request(
      url,
      { method, headers: { "content-length": String(Buffer.byteLength(body)), ...headers } },
      (got) => {
        let text = ""
        got.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        got.on("end", () => resume(Effect.succeed({ status: got.statusCode ?? 0, text })))
      }
    )
    sent.on("error", (error) => resume(Effect.succeed({ status: 0, text: String(error) })))
    sent.end(body)
  })

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" }

describe("a request for the tools of a session that a proxy may understand in another way", () => {
  scoped("is refused as HTTP demands", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* serve(toolRuntime({}))
      const refused = Object.entries(ambiguous(Number(new URL(url).port), secret, LIST)).filter(
        ([, [status]]) => status !== 200
      )
      for (const [name, [status, bytes]] of refused) {
        assert.strictEqual(yield* Effect.promise(() => statusOf(Number(new URL(url).port), bytes)), status, name)
      }
    })
  )
})

for (const [era, open] of [
  ["the revisions with sessions", legacy],
  ["2026-07-28", modern]
] as const) {
  describe(`the tools of a session at an endpoint, for a client of ${era}`, () => {
    scoped("are listed under their exposed names, with descriptions for a model", () =>
      Effect.gen(function* () {
        const client = yield* open(yield* serve(toolRuntime({ mcp__a__echo: echo("A") })))
        const tools = yield* Effect.promise(() => client.list())
        assert.deepStrictEqual(tools, [
          {
            name: "mcp__a__echo",
            title: "echo",
            description: "The tool mcp__a__echo.",
            inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
          }
        ])
      })
    )

    scoped("give text and images as they are, and errors as results", () =>
      Effect.gen(function* () {
        const image = { type: "image", data: PIXEL, mimeType: "image/png" } as const
        const client = yield* open(
          yield* serve(
            toolRuntime({
              mcp__a__echo: echo("A"),
              mcp__a__pixel: { run: () => Effect.succeed({ ...textResult("a pixel"), content: [image] }) },
              mcp__a__fail: { run: () => Effect.succeed(textResult("no such file", true)) },
              mcp__a__bug: { run: () => Effect.die(new Error("secret of ours")) }
            })
          )
        )
        const call = (name: string, args: Record<string, unknown> = {}) =>
          Effect.promise(async () => {
            const { content, isError } = await client.call(name, args)
            return { content, isError: isError === true }
          })
        const text = (said: string) => [{ type: "text", text: said }]
        assert.deepStrictEqual(yield* call("mcp__a__echo", { text: "hi" }), { content: text("A: hi"), isError: false })
        assert.deepStrictEqual(yield* call("mcp__a__pixel"), { content: [image], isError: false })
        assert.deepStrictEqual(yield* call("mcp__a__fail"), { content: text("no such file"), isError: true })
        const bug = yield* call("mcp__a__bug")
        assert.isTrue(bug.isError)
        assert.notInclude(JSON.stringify(bug), "secret of ours")
        assert.include(JSON.stringify(bug), "failed unexpectedly")
        const unknown = yield* call("mcp__b__echo")
        assert.isTrue(unknown.isError)
      })
    )

    scoped("tell progress to a client that asked for it", () =>
      Effect.gen(function* () {
        const steps: TestTool = {
          run: (_, { onProgress }) =>
            Effect.sync(() => {
              onProgress?.({ progress: 1, total: 2, message: "half" })
              onProgress?.({ progress: 2, total: 2, message: undefined })
              return textResult("told")
            })
        }
        const client = yield* open(yield* serve(toolRuntime({ mcp__a__steps: steps })))
        const heard: Array<unknown> = []
        const call = (onprogress?: (progress: unknown) => void) =>
          Effect.promise(async () => {
            const { content } = await client.call("mcp__a__steps", {}, onprogress === undefined ? {} : { onprogress })
            return (content as Array<{ text: string }>)[0]!.text
          })
        assert.strictEqual(yield* call((progress) => heard.push(progress)), "told")
        assert.deepStrictEqual(heard, [
          { progress: 1, total: 2, message: "half" },
          { progress: 2, total: 2 }
        ])
        assert.strictEqual(yield* call(), "told")
        assert.lengthOf(heard, 2)
      })
    )

    scoped("are interrupted when the client cancels a call, which then holds nothing", () =>
      Effect.gen(function* () {
        const slow = Array.from({ length: LISTENER_REQUESTS_MAX + 1 }, waiting)
        let turn = 0
        const tool: TestTool = { run: (args, options) => slow[turn++]!.tool.run(args, options) }
        const client = yield* open(yield* serve(toolRuntime({ mcp__a__slow: tool, mcp__a__echo: echo("A") })))
        for (const { begun, interrupted } of slow) {
          const cancel = cancellation()
          const ended = client.call("mcp__a__slow", {}, { signal: cancel.signal }).then(
            () => "answered",
            () => "rejected"
          )
          yield* begun
          cancel.abort()
          yield* interrupted
          assert.strictEqual(yield* Effect.promise(() => ended), "rejected")
        }
        const { content } = yield* Effect.promise(() => client.call("mcp__a__echo", { text: "still here" }))
        assert.deepStrictEqual(content, [{ type: "text", text: "A: still here" }])
      })
    )

    scoped("end with the session: calls that run are interrupted, and nothing listens any more", () =>
      Effect.gen(function* () {
        const { begun, interrupted, tool } = waiting()
        const session = yield* Scope.make()
        const served = yield* serve(toolRuntime({ mcp__a__slow: tool })).pipe(Scope.provide(session))
        const client = yield* open(served)
        const running = client.call("mcp__a__slow")
        yield* begun
        yield* Scope.close(session, Exit.void)
        yield* interrupted
        const { content, isError } = yield* Effect.promise(() => running)
        assert.isTrue(isError)
        assert.match(JSON.stringify(content), /the session that it belongs to has ended/)
        const answer = yield* send(served.url, { ...JSON_HEADERS, ...bearer(served.secret) }, LIST)
        assert.deepInclude(answer, { status: 0 })
      })
    )

    scoped("do not cross: twenty sessions with tools of the same names each reach their own", () =>
      Effect.gen(function* () {
        const answers = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => `secret-${index}`),
          (secret) =>
            Effect.gen(function* () {
              const client = yield* open(yield* serve(toolRuntime({ mcp__a__echo: echo(secret) })))
              const calls = Array.from({ length: 5 }, () => client.call("mcp__a__echo", { text: secret }))
              return yield* Effect.promise(() => Promise.all(calls))
            }),
          { concurrency: "unbounded" }
        )
        answers.forEach((results, index) => {
          for (const { content } of results) {
            assert.deepStrictEqual(content, [{ type: "text", text: `secret-${index}: secret-${index}` }])
          }
        })
      })
    )
  })
}

describe("who is let in at the endpoint of a session", () => {
  scoped("no client without its secret, which reveals nothing to a guess", () =>
    Effect.gen(function* () {
      const one = yield* serve(toolRuntime({ mcp__a__echo: echo("A") }))
      const two = yield* serve(toolRuntime({ mcp__a__echo: echo("B") }))
      assert.notStrictEqual(one.secret, two.secret)
      assert.match(one.secret, /^[A-Za-z0-9_-]{43}$/)
      const right = yield* send(one.url, { ...JSON_HEADERS, ...bearer(one.secret) }, LIST)
      assert.strictEqual(right.status, 200)
      for (const [url, headers] of [
        [one.url, {}],
        [one.url, bearer("wrong")],
        [one.url, bearer(two.secret)],
        [one.url, { authorization: one.secret }],
        [one.url, bearer("x".repeat(12_000))]
      ] as const) {
        const { status, text } = yield* send(url, { ...JSON_HEADERS, ...headers }, LIST)
        assert.strictEqual(status, 401, `${url} ${JSON.stringify(headers).slice(0, 80)}`)
        assert.notInclude(text, "mcp__a__echo")
      }
    })
  )

  scoped("no web page, and no client with another host name", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* serve(toolRuntime({ mcp__a__echo: echo("A") }))
      const known = { ...JSON_HEADERS, ...bearer(secret) }
      const { host, port } = new URL(url)
      for (const headers of [
        { host: `evil.example:${port}` },
        { host: "127.0.0.1" },
        { host, origin: "https://evil.example" },
        { host, origin: "null" }
      ]) {
        const { status } = yield* send(url, { ...known, ...headers }, LIST)
        assert.strictEqual(status, 403, JSON.stringify(headers))
      }
    })
  )

  scoped("answers liveness checks only under its own name", () =>
    Effect.gen(function* () {
      const { url } = yield* serve(toolRuntime({}))
      const ask = (path: string) => send(new URL(path, url).href, {}, "", "GET")
      assert.strictEqual((yield* ask(alivePath(INSTANCE))).status, 200)
      for (const path of [alivePath("another"), "/health", "/"]) assert.strictEqual((yield* ask(path)).status, 404)
    })
  )
})

describe("what the endpoint of a session takes", () => {
  const served = Effect.gen(function* () {
    const { secret, url } = yield* serve(toolRuntime({ mcp__a__echo: echo("A") }))
    return (body: string, method = "POST", headers = {}) =>
      send(url, { ...JSON_HEADERS, ...bearer(secret), ...headers }, body, method)
  })

  scoped("no message that is too large, nested too deep, or no message", () =>
    Effect.gen(function* () {
      const post = yield* served
      const deep = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${"[".repeat(50_000)}${"]".repeat(50_000)}}`
      // Nothing that is not within bounds gets as far as a tool.
      const nested = (depth: number) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp__a__echo","arguments":{"text":${"[".repeat(depth)}${"]".repeat(depth)}}}}`
      for (const [body, status] of [
        [nested(1), 200],
        [nested(JSON_MAX_DEPTH), 400],
        ["", 400],
        ["{", 400],
        ["null", 400],
        ["[]", 400],
        ['"initialize"', 400],
        [deep, 400],
        [`"${"x".repeat(LISTENER_CALL_MAX_BYTES)}"`, 413]
      ] as const) {
        assert.strictEqual((yield* post(body)).status, status, body.slice(0, 40))
      }
      assert.strictEqual((yield* post("", "GET")).status, 405)
      assert.strictEqual((yield* post("", "PUT")).status, 405)
    })
  )
})

describe("clients of the revisions with sessions at the endpoint of a session", () => {
  scoped("get no session, so that a gateway has none to end after the endpoint is gone", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* serve(toolRuntime({ mcp__a__echo: echo("A") }))
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } }
      const answer = yield* Effect.promise(() =>
        fetch(url, {
          method: "POST",
          headers: { ...JSON_HEADERS, ...bearer(secret) },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })
        })
      )
      assert.strictEqual(answer.status, 200)
      assert.isNull(answer.headers.get("mcp-session-id"))
      assert.include(yield* Effect.promise(() => answer.text()), '"protocolVersion":"2025-11-25"')
      const removed = yield* send(url, { ...JSON_HEADERS, ...bearer(secret) }, "", "DELETE")
      assert.strictEqual(removed.status, 405)
    })
  )

  scoped("do not cancel each other's calls, though their requests have the same numbers", () =>
    Effect.gen(function* () {
      const [first, second] = [waiting(), waiting()]
      const slow = [first, second]
      const tool: TestTool = { run: (args, options) => slow.shift()!.tool.run(args, options) }
      const door = yield* serve(toolRuntime({ mcp__a__slow: tool, mcp__a__echo: echo("A") }))
      const [one, other] = [yield* legacy(door), yield* legacy(door)]
      const cancel = cancellation()
      const cancelled = one.call("mcp__a__slow", {}, { signal: cancel.signal }).catch(() => "cancelled")
      yield* first.begun
      let isOver = false
      const kept = other.call("mcp__a__slow").then(
        () => (isOver = true),
        () => (isOver = true)
      )
      yield* second.begun
      cancel.abort()
      assert.strictEqual(yield* Effect.promise(() => cancelled), "cancelled")
      // Whatever was cancelled is cancelled once this is answered.
      yield* Effect.promise(() => one.call("mcp__a__echo", { text: "hi" }))
      assert.isFalse(isOver)
      yield* Effect.promise(() => other.close())
      yield* second.interrupted
      yield* Effect.promise(() => kept)
    })
  )
})
