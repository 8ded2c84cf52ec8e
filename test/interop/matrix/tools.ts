/** What is expected of calling a peer's tools, and of what they answer. */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import { call, callOf, exposed, tagOf, textOf } from "./cell.ts"
import { isUnknown, offered, wrapped, type Expectations } from "./expectation.ts"

export const TOOLS: Expectations = {
  "is connected in its revision, over its transport": ({ peer, transport }) =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      yield* runtime.ready
      const { protocolVersion, state, transport: used } = (yield* runtime.status)["peer"]!
      assert.deepStrictEqual(
        { protocolVersion, state, used },
        { protocolVersion: peer.protocolVersion, state: "Ready", used: transport }
      )
    }),

  "lists its tools under names that every model takes, each with a schema": ({ peer }) =>
    Effect.gen(function* () {
      const tools = yield* (yield* McpRuntime).tools
      const names = tools.map(({ name }) => name)
      for (const tool of ["echo", peer.sum, peer.image, peer.longRunning, peer.sampling.tool]) {
        assert.include(names, exposed(tool))
      }
      for (const tool of tools) {
        assert.match(tool.name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
        assert.strictEqual(tool.parameters["type"], "object")
        assert.notStrictEqual(tool.description, "")
      }
      assert.strictEqual(new Set(names).size, names.length)
    }),

  "a call's text comes wrapped, with its source": () =>
    Effect.gen(function* () {
      const result = yield* call("echo", { message: "over the wire" })
      assert.isFalse(result.isError)
      const text = wrapped(result.content)
      assert.include(text, "Echo: over the wire")
      assert.include(text, "Server: peer")
      assert.deepInclude(result.details, {
        externalContent: {
          untrusted: true,
          source: "mcp_server",
          server: "peer",
          tool: "echo",
          mode: "delimit",
          wrapped: true
        }
      })
    }),

  "numbers go in and come out": ({ peer }) =>
    Effect.map(call(peer.sum, { a: 2, b: 40 }), ({ content }) => assert.include(textOf(content), "42")),

  "an image stays an image, between its texts": ({ peer }) =>
    Effect.map(call(peer.image), ({ content }) => {
      const images = content.flatMap((block) => (block.type === "image" ? [block] : []))
      assert.deepStrictEqual(
        images.map(({ mimeType }) => mimeType),
        ["image/png"]
      )
      assert.strictEqual(Buffer.from(images[0]!.data, "base64").subarray(1, 4).toString(), "PNG")
      assert.include(wrapped(content), "image above")
    }),

  "progress is told as it comes, growing, with its total": ({ peer }) =>
    Effect.gen(function* () {
      const told: Array<number> = []
      const result = yield* (yield* McpRuntime).call(
        exposed(peer.longRunning),
        { duration: 0.3, steps: 3 },
        {
          onProgress: ({ progress, total }) => {
            assert.strictEqual(total, 3)
            told.push(progress)
          }
        }
      )
      assert.include(textOf(result.content), "Long running operation completed")
      assert.isNotEmpty(told)
      assert.deepStrictEqual(
        told,
        told.toSorted((a, b) => a - b)
      )
    }),

  "a call that is taken back ends at once, and the server goes on": ({ peer }) =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const started = yield* Deferred.make<void>()
      const fiber = yield* runtime
        .call(
          exposed(peer.longRunning),
          { duration: 300, steps: 3000 },
          { onProgress: () => void Deferred.doneUnsafe(started, Effect.void) }
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.include(textOf((yield* call("echo", { message: "still here" })).content), "still here")
      assert.strictEqual((yield* runtime.status)["peer"]!.restarts, 0)
    }),

  "a name that is almost right is refused with the right one": () =>
    Effect.map(call("ecoh"), (result) => {
      assert.strictEqual(tagOf(result), "ToolNotFound")
      assert.include(textOf(result.content), exposed("echo"))
    }),

  "arguments that the tool does not take are an error that a model can read": ({ peer }) =>
    Effect.map(call(peer.sum, { a: "two" }), (result) => {
      assert.isTrue(result.isError)
      assert.match(textOf(result.content), /number|required/i)
      assert.notMatch(textOf(result.content), /\n\s+at .*\.js:\d+/)
    })
}

export const CONTENT: Expectations = {
  "annotated content is content": ({ peer }) =>
    offered(peer.annotated, "annotatedMessage", ({ content }) => {
      assert.include(wrapped(content), "Error: Operation failed")
      assert.isTrue(content.some((block) => block.type === "image"))
    }),

  "structured content is there for programs, and as text for a model": ({ peer }) =>
    offered(peer.structured, "structuredContent", ({ content, structuredContent }) => {
      assert.containsAllKeys(structuredContent, ["temperature", "conditions", "humidity"])
      assert.include(wrapped(content), "conditions")
    }),

  "links to resources are named, not followed": ({ peer }) =>
    offered(peer.links, "getResourceLinks", ({ content, isError }) => {
      assert.isFalse(isError)
      const text = wrapped(content)
      assert.include(text, "://")
      assert.match(text, /[Rr]esource 2/)
    }),

  "an embedded resource is shown with its address": ({ peer }) =>
    offered(peer.embedded, "getResourceReference", ({ content }) => {
      const text = wrapped(content)
      assert.include(text, "Resource 1: This is a plaintext resource")
      assert.include(text, "/1")
    }),

  "a tool that must be a task is called like any other, its questions included": ({ elicitations, peer }) =>
    Effect.gen(function* () {
      if (peer.task === undefined) return yield* isUnknown("simulate-research-query")
      const result = yield* callOf(peer.task)
      assert.isFalse(result.isError, textOf(result.content))
      assert.include(wrapped(result.content), "Research Report: python (snake)")
      assert.isTrue(elicitations.some(({ message }) => message.includes("interpretations")))
    })
}
