import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { CALL_TIMEOUT_MS } from "../../../../src/schemas/defaults/Connections.ts"
import { WATCHED_RESOURCES_MAX } from "../../../../src/schemas/defaults/HostRequests.ts"
import { URI_MAX_CHARS } from "../../../../src/schemas/defaults/Texts.ts"
import { InvalidLaunch } from "../../../../src/schemas/connection/ConnectError.ts"
import { around } from "../../../support/around.ts"
import { NONSENSE } from "../../../support/boundaries.ts"
import { fakeServer, texts, until, type FakeServer } from "./fakeServer.ts"
import { bridges, messageOf, numbered, refused, resource, resourcesOf, tagOf, textOf } from "./resourceRuntime.ts"

describe("resources: lists", () => {
  it.effect("have the resources and templates of all servers that pass the filter, in the order of the servers", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", {
        resources: [resource("file:///docs/1"), resource("file:///etc/passwd"), resource("file:///docs/../etc/passwd")],
        resourceTemplates: [
          { uriTemplate: "file:///docs/{x}", name: "d" },
          { uriTemplate: "db://{x}", name: "x" }
        ],
        config: { resourceFilter: ["file:///docs/*"] }
      })
      const b = yield* fakeServer("b", { resources: [resource("x://1")] })
      const { resources, resourceTemplates } = yield* resourcesOf([a, b])
      assert.deepStrictEqual(
        (yield* resources).map(({ server, uri }) => `${server} ${uri}`),
        ["a file:///docs/1", "b x://1"]
      )
      assert.deepStrictEqual(
        (yield* resourceTemplates).map(({ server, uriTemplate }) => `${server} ${uriTemplate}`),
        ["a file:///docs/{x}"]
      )
    }).pipe(Effect.provide(bridges))
  )

  it.effect("leave out servers with resources: false, disabled servers and failed servers", () =>
    Effect.gen(function* () {
      const offer = { resources: [resource("x://1")], resourceTemplates: [{ uriTemplate: "x://{x}", name: "x" }] }
      const a = yield* fakeServer("a", { ...offer, config: { resources: false } })
      const b = yield* fakeServer("b", { ...offer, config: { enabled: false } })
      const c = yield* fakeServer("c", offer)
      const { ownTools, resources, resourceTemplates } = yield* resourcesOf([a, b, c])
      assert.lengthOf(yield* resources, 1)
      assert.lengthOf(ownTools(), 2)
      yield* c.set({ state: { _tag: "Failed", cause: new InvalidLaunch({ server: "c", detail: "no such file" }) } })
      assert.deepStrictEqual([yield* resources, yield* resourceTemplates, ownTools()], [[], [], []])
    }).pipe(Effect.provide(bridges))
  )

  it.effect("follow the servers' lists", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { resources: [resource("x://1")] })
      const { resources } = yield* resourcesOf([a])
      const [before] = yield* resources
      assert.strictEqual((yield* resources)[0], before)
      yield* a.offer({ resources: [resource("x://2")] })
      assert.deepStrictEqual(
        (yield* resources).map(({ uri }) => uri),
        ["x://2"]
      )
    }).pipe(Effect.provide(bridges))
  )
})

describe("readResource", () => {
  const two = Effect.gen(function* () {
    const a = yield* fakeServer("a", {
      resources: [resource("x://a"), resource("x://both")],
      resourceTemplates: [{ uriTemplate: "a://{id}/rows", name: "rows" }],
      answer: texts({})
    })
    const b = yield* fakeServer("b", {
      resources: [resource("x://b"), resource("x://both")],
      resourceTemplates: [
        { uriTemplate: "b://{id}/rows", name: "rows" },
        { uriTemplate: "a://{id}/rows", name: "r" }
      ],
      answer: texts({ "x://b": "words of b" })
    })
    return { a, b, ...(yield* resourcesOf([a, b])) }
  })

  it.effect("asks the server that lists the URI", () =>
    Effect.gen(function* () {
      const { a, b, readResource } = yield* two
      const reading = yield* readResource("x://b")
      assert.strictEqual(reading.server, "b")
      assert.strictEqual(textOf(reading), "words of b")
      assert.deepStrictEqual([a.reads(), b.reads()], [[], ["x://b"]])
    }).pipe(Effect.provide(bridges))
  )

  it.effect("asks the server whose template matches, when no server lists the URI", () =>
    Effect.gen(function* () {
      const { a, b, readResource } = yield* two
      yield* readResource("b://7/rows")
      assert.deepStrictEqual([a.reads(), b.reads()], [[], ["b://7/rows"]])
    }).pipe(Effect.provide(bridges))
  )

  it.effect("names the candidates when the server is not clear, and asks the one that is named", () =>
    Effect.gen(function* () {
      const { a, b, readResource } = yield* two
      assert.include(
        yield* messageOf(readResource("x://both")),
        "more than one server may have it, name one of 'a', 'b'"
      )
      assert.include(
        yield* messageOf(readResource("a://1/rows")),
        "more than one server may have it, name one of 'a', 'b'"
      )
      assert.include(yield* messageOf(readResource("x://none")), "no server lists it, name one of 'a', 'b'")
      for (const uri of ["x://both", "x://none"]) assert.strictEqual((yield* readResource(uri, "b")).server, "b")
      assert.deepStrictEqual([a.reads(), b.reads()], [[], ["x://both", "x://none"]])
      assert.include(
        yield* messageOf(readResource("x://a", "c")),
        "there is no MCP server 'c' with resources, there are 'a', 'b'"
      )
    }).pipe(Effect.provide(bridges))
  )

  it.effect("asks the only server with resources for any URI", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { offers: { resources: true }, answer: texts({}) })
      const b = yield* fakeServer("b")
      const { readResource } = yield* resourcesOf([a, b])
      assert.strictEqual((yield* readResource("x://unlisted")).server, "a")
      assert.include(yield* messageOf(readResource("x://1", "b")), "there is no MCP server 'b' with resources")
      assert.include(yield* messageOf((yield* resourcesOf([b])).readResource("x://1")), "no server has resources")
    }).pipe(Effect.provide(bridges))
  )

  it.effect("starts servers with unknown lists only when no other server has the URI", () =>
    Effect.gen(function* () {
      const lazy = yield* fakeServer("lazy", { resources: [resource("x://l")], state: "unseen", answer: texts({}) })
      const { a, ...rest } = yield* two
      const { readResource } = yield* resourcesOf([a, rest.b, lazy])
      yield* readResource("x://a")
      assert.isUndefined(lazy.server.supervised.snapshot().catalogue)
      assert.strictEqual((yield* readResource("x://l")).server, "lazy")
    }).pipe(Effect.provide(bridges))
  )

  it.effect("fails for an unavailable server, unless another server has the resource", () =>
    Effect.gen(function* () {
      const broken = yield* fakeServer("broken", { state: "broken" })
      const a = yield* fakeServer("a", { resources: [resource("x://1")], answer: texts({}) })
      assert.strictEqual(yield* tagOf((yield* resourcesOf([broken])).readResource("x://1")), "ServerUnavailable")
      const both = yield* resourcesOf([broken, a])
      assert.strictEqual((yield* both.readResource("x://2")).server, "a")
      assert.strictEqual(yield* tagOf(both.readResource("x://1", "broken")), "ServerUnavailable")
    }).pipe(Effect.provide(bridges))
  )

  it.effect("refuses every spelling of a URI that resourceFilter excludes, also for a named server", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", {
        resources: [resource("file:///docs/1"), resource("file:///etc/passwd")],
        resourceTemplates: [{ uriTemplate: "file:///{+path}", name: "any" }],
        config: { resourceFilter: ["file:///docs/*"] },
        answer: texts({})
      })
      const { ownTools, readResource } = yield* resourcesOf([a])
      const read = ownTools().find(({ agentTool }) => agentTool.tool === "read_resource")!
      const spellings = ["file:///etc/passwd", "file:///docs/../etc/passwd", "file:///docs/%2e%2e/etc/passwd"]
      for (const uri of [...spellings, "file:///docs/%252e%252e/x", "file:///docs/..\\x", "FILE:///ETC/x"]) {
        assert.strictEqual(yield* tagOf(readResource(uri)), "ResourceNotFound")
        assert.include(yield* messageOf(readResource(uri, "a")), "resourceFilter of MCP server 'a'")
        assert.strictEqual(yield* tagOf(read.run({ uri }, around())), "ResourceNotFound")
      }
      assert.deepStrictEqual(a.reads(), [])
      yield* readResource("file:///docs/1")
      yield* readResource("FILE:///docs/%32")
      // The server gets what was written.
      assert.deepStrictEqual(a.reads(), ["file:///docs/1", "FILE:///docs/%32"])
    }).pipe(Effect.provide(bridges))
  )

  it.effect("sends a listed URI exactly as the server listed it", () =>
    Effect.gen(function* () {
      const uris = ["file:///etc/passwd", "file://../../x", "..%2f", "%252e", "\\\\host\\x", "a\0b", "x  y\n\u202ez"]
      const a = yield* fakeServer("a", { resources: uris.map((uri) => resource(uri)), answer: texts({}) })
      const { readResource, resources } = yield* resourcesOf([a])
      for (const { uri } of yield* resources) yield* readResource(uri)
      assert.deepStrictEqual(a.reads(), uris)
    }).pipe(Effect.provide(bridges))
  )

  it.effect("refuses a URI that is too long, with a short message", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { resources: [resource("x://1")] })
      const { readResource } = yield* resourcesOf([a])
      for (const server of [undefined, "a"]) {
        const message = yield* messageOf(readResource("x".repeat(URI_MAX_CHARS + 1), server))
        assert.isAtMost(message.length, 1_000)
      }
      assert.deepStrictEqual(a.reads(), [])
    }).pipe(Effect.provide(bridges))
  )

  it.effect("maps unknown-resource errors to ResourceNotFound, and keeps other errors", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", {
        resources: [resource("x://1")],
        answer: ({ params }) => refused(Number(String(params["uri"]).slice(4)))
      })
      const { readResource } = yield* resourcesOf([a])
      for (const code of [-32002, -32602]) {
        const message = yield* messageOf(readResource(`x://${code}`))
        assert.include(message, "MCP server 'a' does not know it")
        assert.notInclude(message, "words of the server")
      }
      assert.strictEqual(yield* tagOf(readResource("x://-32603")), "ProtocolError")
    }).pipe(Effect.provide(bridges))
  )

  it.effect("fails with ProtocolError for a malformed response", () =>
    Effect.gen(function* () {
      let answer: unknown
      const a = yield* fakeServer("a", { resources: [resource("x://1")], answer: () => Effect.sync(() => answer) })
      const { readResource } = yield* resourcesOf([a])
      for (const nonsense of NONSENSE) {
        answer = nonsense
        assert.strictEqual(yield* tagOf(readResource("x://1")), "ProtocolError")
      }
    }).pipe(Effect.provide(bridges))
  )

  it.effect("has the timeout of a call, and asks for progress", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { resources: [resource("x://1")] })
      yield* (yield* resourcesOf([a])).readResource("x://1")
      assert.strictEqual(a.asked[0]!.options.idleMs, CALL_TIMEOUT_MS)
      assert.isDefined(a.asked[0]!.options.onProgress)
    }).pipe(Effect.provide(bridges))
  )

  it.effect("fails with ResourceNotFound for a URI that is not a string", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { answer: () => refused(-32602) })
      const { readResource } = yield* resourcesOf([a])
      for (const nonsense of NONSENSE) {
        assert.strictEqual(yield* tagOf(readResource(nonsense as string)), "ResourceNotFound")
        yield* Effect.flip(readResource("x://1", nonsense as string))
      }
    }).pipe(Effect.provide(bridges))
  )
})

describe("resourceUpdates", () => {
  const collect = (fakes: ReadonlyArray<FakeServer>) =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const { resourceUpdates } = yield* resourcesOf(fakes)
      const fiber = yield* Stream.runForEach(resourceUpdates, ({ server, uri }) =>
        Effect.sync(() => heard.push(`${server} ${uri}`))
      ).pipe(Effect.forkChild)
      yield* until(() => fakes.every(({ listeners }) => listeners() === 1))
      return { heard, fiber }
    })
  const offers = { subscriptions: true }

  it.effect("emits updates of listed resources and their parts, by server, and no others", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", {
        resources: [resource("x://in/1"), resource("x://out/1"), resource("x://in/last")],
        offers,
        config: { resourceFilter: ["x://in/*"] }
      })
      const b = yield* fakeServer("b", { resources: [resource("x://in/1")], offers })
      const { heard } = yield* collect([a, b])
      yield* b.update("x://in/1")
      yield* until(() => heard.length === 1)
      const silent = ["x://out/1", "x://in/2", "x://in/1/../../out/1", "y\0"]
      for (const uri of ["x://in/1", ...silent, "x://in/1/part", "x://in/last"]) yield* a.update(uri)
      yield* until(() => heard.at(-1) === "a x://in/last")
      assert.deepStrictEqual(heard, ["b x://in/1", "a x://in/1", "a x://in/1/part", "a x://in/last"])
    }).pipe(Effect.provide(bridges))
  )

  it.effect("subscribes to listed resources while the stream is read, and follows the list", () =>
    Effect.gen(function* () {
      const a = yield* fakeServer("a", { resources: numbered(WATCHED_RESOURCES_MAX + 1), offers })
      const b = yield* fakeServer("b", { resources: numbered(1) })
      const { fiber } = yield* collect([a, b])
      yield* until(() => a.watched()[0]?.length === WATCHED_RESOURCES_MAX)
      yield* a.offer({ resources: [resource("x://9")], offers })
      yield* until(() => a.watched()[0]?.[0] === "x://9")
      assert.lengthOf(a.watched(), 1)
      assert.deepStrictEqual(b.watched(), [])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(a.watched(), [])
    }).pipe(Effect.provide(bridges))
  )
})
