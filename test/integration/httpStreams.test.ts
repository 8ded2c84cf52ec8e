import { assert, describe, it } from "@effect/vitest"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text as readText } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { JSON_UNSEEN_MAX, STREAMS_LINGERING_MAX } from "../../src/schemas/defaults/Wire.ts"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { callTool, connectorLayer, httpConfig, open, textOf } from "../support/connector.ts"
import { pauses } from "../support/pause.ts"

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

const echo = { text: "hi" }

describe("HTTP: events as the standard has them", () => {
  for (const kind of ["cr", "crlf", "bom", "no-space", "lines", "retry", "id-with-nul", "unknown", "split"]) {
    scenario(
      `${kind}: the answer is read`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`events:${kind}`)
        const connection = yield* open(httpConfig(url))
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "h\u00E9")
      })
    )
  }

  scenario(
    "many of them on one stream, more than one message may have",
    Effect.gen(function* () {
      const { url } = yield* httpServer("many-events:20")
      const connection = yield* open(httpConfig(url))
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )
})

/** Answers a call behind these reports, all of it written at once: in the response, or on the stream of a GET. */
const reporting = (start: string, reports: ReadonlyArray<{ readonly at: number; readonly message?: string }>) => {
  const eventOf = (message: unknown) => `data: ${JSON.stringify(message)}\n\n`
  let stream: ServerResponse | undefined
  const node = createServer(async (request, response) => {
    const events = () => response.writeHead(200, { "content-type": "text/event-stream" })
    if (request.method === "GET" && request.url === "/sse") {
      stream = events()
      return stream.write(`${start}event: endpoint\ndata: /messages\n\n`)
    }
    if (request.method !== "POST") return response.writeHead(405).end()
    const { id, method, params } = JSON.parse(await readText(request))
    if (id === undefined) return response.writeHead(202).end()
    const answerWith = (text: string) => {
      if (request.url === "/mcp") return events().end(start + text)
      response.writeHead(202).end()
      return stream!.write(text)
    }
    const answer = (result: unknown) => eventOf({ jsonrpc: "2.0", id, result })
    if (method !== "tools/call") {
      const serverInfo = { name: "reporting", version: "1" }
      return answerWith(answer({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo, tools: [] }))
    }
    const told = reports.map(({ at, message }) => {
      const progress = { progressToken: params._meta.progressToken, progress: at, message }
      return eventOf({ jsonrpc: "2.0", method: "notifications/progress", params: progress })
    })
    return answerWith(told.join("") + answer({ content: [{ type: "text", text: "done" }] }))
  })
  return Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      node.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed(`http://127.0.0.1:${(node.address() as AddressInfo).port}`))
      )
    }),
    () => Effect.sync(() => (node.close(), node.closeAllConnections()))
  )
}

describe("HTTP: messages of one stream", () => {
  const message = "x".repeat(JSON_UNSEEN_MAX)
  for (const [kind, path] of [
    ["http", "/mcp"],
    ["sse", "/sse"]
  ] as const) {
    for (const [what, start, reports] of [
      ["that come at once", "", [{ at: 1 }, { at: 2 }, { at: 3 }]],
      ["behind the mark of an encoding", "\ufeff", [{ at: 1 }, { at: 2 }, { at: 3 }]],
      ["one of them long", "", [{ at: 1 }, { at: 2, message }, { at: 3 }, { at: 4 }]],
      ["the first ones long", "\ufeff", [{ at: 1, message }, { at: 2, message }, { at: 3 }, { at: 4, message }]]
    ] as const) {
      scenario(
        `${kind}: arrive in their order, ${what}`,
        Effect.gen(function* () {
          const url = `${yield* reporting(start, reports)}${path}`
          const connection = yield* open(httpConfig(url, kind))
          const heard: Array<unknown> = []
          const result = yield* connection.request(
            "tools/call",
            { name: "x", arguments: {} },
            { idleMs: 10_000, totalMs: 20_000, onProgress: ({ progress }) => heard.push(progress) }
          )
          assert.deepStrictEqual(
            heard,
            reports.map(({ at }) => at)
          )
          assert.strictEqual(textOf(result), "done")
        })
      )
    }
  }
})

describe("HTTP: encodings", () => {
  for (const kind of ["br", "deflate"]) {
    scenario(
      `${kind}: is decoded`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`encoded:${kind}`)
        const connection = yield* open(httpConfig(url))
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      })
    )

    scenario(
      `${kind}: a bomb is too large`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`encoded:${kind}:60`)
        const connection = yield* open(httpConfig(url))
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.strictEqual(error._tag, "MessageTooLarge")
      })
    )
  }

  // What can be decoded of a body that was cut is an answer that is not whole.
  for (const [kind, tag] of [
    ["wrong", "ConnectionLost"],
    ["twice", "ConnectionLost"],
    ["cut", "ProtocolError"]
  ] as const) {
    scenario(
      `${kind}: the call fails at once, and the next one does not`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`encoded:${kind}`)
        const connection = yield* open(httpConfig(url))
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.deepInclude(error, { _tag: tag, maybeExecuted: true })
        assert.isTrue(yield* connection.ping)
      })
    )
  }
})

describe("HTTP: answers that never come to an end", () => {
  const rows: ReadonlyArray<readonly [name: string, tags: ReadonlyArray<string>]> = [
    ["endless-headers", ["ConnectionLost"]],
    ["slow-headers", ["CallTimeout"]],
    ["short-length", ["ConnectionLost"]],
    ["long-length", ["ConnectionLost", "ProtocolError"]],
    ["event-flood", ["CallTimeout"]]
  ]
  for (const [name, tags] of rows) {
    scenario(
      `${name} costs its call, in time, and nothing else`,
      Effect.gen(function* () {
        const server = yield* httpServer(`${name}:tools/call:1`)
        const connection = yield* open(httpConfig(server.url))
        const error = yield* Effect.flip(
          callTool(connection, "echo", echo, tags.includes("CallTimeout") ? 1_500 : 30_000)
        )
        assert.include(tags, error._tag)
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
        const first = server.requests.find(({ method }) => method === "tools/call")
        yield* server.connections.pipe(
          Effect.repeat({ schedule: pauses, until: () => first?.connected() === false }),
          Effect.timeout("30 seconds")
        )
      })
    )
  }
})

/** Answers each message at once, in its response or on the stream of a GET, and never ends the response. */
const neverEnding = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly held: () => number; readonly stop: () => void }>((resume) => {
    let stream: ServerResponse | undefined
    const open = new Set<ServerResponse>()
    const node = createServer(async (request, response) => {
      const events = () => response.writeHead(200, { "content-type": "text/event-stream" })
      if (request.method === "GET" && request.url === "/sse") {
        stream = events()
        return stream.write("event: endpoint\ndata: /messages\n\n")
      }
      if (request.method !== "POST") return response.writeHead(405).end()
      const { id, method } = JSON.parse(await readText(request))
      if (id === undefined) return response.writeHead(202).end()
      open.add(response)
      response.on("close", () => open.delete(response))
      const serverInfo = { name: "never", version: "1" }
      const result =
        method === "tools/call"
          ? { content: [{ type: "text", text: "done" }] }
          : { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo, tools: [] }
      const event = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`
      if (request.url === "/mcp") return events().write(event)
      response.writeHead(202).write("Accepted")
      return stream!.write(event)
    })
    node.listen(0, "127.0.0.1", () =>
      resume(
        Effect.succeed({
          url: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
          held: () => open.size,
          stop: () => (node.close(), node.closeAllConnections())
        })
      )
    )
  }),
  ({ stop }) => Effect.sync(stop)
)

describe("HTTP: responses whose requests are answered and that do not end", () => {
  for (const [kind, path] of [
    ["http", "/mcp"],
    ["sse", "/sse"]
  ] as const) {
    scenario(
      `${kind}: only so many of them stay open`,
      Effect.gen(function* () {
        const { held, url } = yield* neverEnding
        const connection = yield* open(httpConfig(`${url}${path}`, kind))
        for (let i = 0; i < 2 * STREAMS_LINGERING_MAX; i++) {
          assert.strictEqual(textOf(yield* callTool(connection, "x")), "done")
        }
        while (held() > STREAMS_LINGERING_MAX) yield* Effect.sleep(10)
        assert.strictEqual(held(), STREAMS_LINGERING_MAX)
      })
    )
  }
})
