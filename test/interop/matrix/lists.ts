/** A peer's resources, its prompts, and what changes in its lists. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import { call, callOf, exposed, textOf } from "./cell.ts"
import { wrapped, type Expectations } from "./expectation.ts"

export const RESOURCES: Expectations = {
  "its resources are listed, over all pages": ({ peer }) =>
    Effect.gen(function* () {
      const resources = yield* (yield* McpRuntime).resources
      assert.isAtLeast(resources.length, peer.resources)
      assert.include(
        resources.map(({ uri }) => uri),
        peer.text.uri
      )
      assert.isTrue(resources.every(({ name, server }) => name !== "" && server === "peer"))
    }),

  "its templates are listed": ({ peer }) =>
    Effect.gen(function* () {
      const templates = yield* (yield* McpRuntime).resourceTemplates
      assert.deepStrictEqual(
        templates.map(({ uriTemplate }) => uriTemplate),
        peer.templates
      )
    }),

  "a text is read: wrapped for a model, plain for a program": ({ peer }) =>
    Effect.gen(function* () {
      const { content, pieces } = yield* (yield* McpRuntime).readResource(peer.text.uri)
      assert.include(wrapped(content), peer.text.says)
      assert.include("text" in pieces[0]! && pieces[0].text, peer.text.says)
    }),

  "bytes are read, listed or made from a template: named for a model, whole for a program": ({ peer }) =>
    Effect.gen(function* () {
      const { content, pieces } = yield* (yield* McpRuntime).readResource(peer.binary.uri, "peer")
      const [piece] = pieces
      assert.isTrue(piece !== undefined && "blob" in piece)
      if (piece !== undefined && "blob" in piece) {
        assert.include(Buffer.from(piece.blob, "base64").toString(), peer.binary.says)
        assert.notInclude(textOf(content), piece.blob)
      }
    }),

  "what it does not have is an error that says so": () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip((yield* McpRuntime).readResource("test://static/nowhere", "peer"))
      assert.include(["ResourceNotFound", "ProtocolError"], error._tag)
      assert.include(error.message, "nowhere")
    }),

  "what changes is announced and there; where nothing is announced, looking again finds what is there": ({ peer }) =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const { change } = peer
      if (change === undefined) {
        const before = [yield* runtime.tools, yield* runtime.resources, yield* runtime.prompts]
        yield* runtime.refresh
        return assert.deepStrictEqual([yield* runtime.tools, yield* runtime.resources, yield* runtime.prompts], before)
      }
      const isThere =
        "addsTool" in change
          ? Effect.map(runtime.tools, (tools) => tools.some(({ name }) => name === exposed(change.addsTool)))
          : Effect.map(runtime.resources, (resources) => resources.some(({ uri }) => uri === change.addsResource))
      assert.isFalse(yield* isThere)
      const seen = yield* runtime.changes.pipe(
        Stream.mapEffect(() => isThere),
        Stream.filter((there) => there),
        Stream.take(1),
        Stream.runDrain,
        Effect.forkChild({ startImmediately: true })
      )
      assert.isFalse((yield* callOf(change)).isError)
      yield* Fiber.join(seen)
      if ("addsTool" in change) return assert.isFalse((yield* call(change.addsTool)).isError)
      assert.isNotEmpty((yield* runtime.readResource(change.addsResource)).pieces)
    })
}

export const PROMPTS: Expectations = {
  "its prompts are listed, with their arguments": ({ peer: { argsPrompt, simplePrompt } }) =>
    Effect.gen(function* () {
      const prompts = yield* (yield* McpRuntime).prompts
      assert.include(
        prompts.map(({ prompt }) => prompt),
        simplePrompt
      )
      const asked = prompts.find(({ prompt }) => prompt === argsPrompt.name)!.arguments
      assert.deepStrictEqual(
        asked.flatMap(({ name, required }) => (required ? [name] : [])),
        [argsPrompt.required]
      )
      assert.lengthOf(asked, 2)
    }),

  "a prompt is filled in: wrapped, and all of it the user's, whatever role the server gave": ({
    peer: { argsPrompt, simplePrompt }
  }) =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const simple = yield* runtime.getPrompt(simplePrompt)
      assert.include(wrapped(simple.messages[0]!.content), "This is a simple prompt without arguments.")
      const filled = yield* runtime.getPrompt(argsPrompt.name, argsPrompt.args)
      assert.include(textOf(filled.messages.flatMap(({ content }) => content)), argsPrompt.says)
      assert.isTrue(filled.messages.every(({ role }) => role === "user"))
    }),

  "a prompt without what it needs, and one that is not there, are errors that say so": ({ peer: { argsPrompt } }) =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const incomplete = yield* Effect.flip(runtime.getPrompt(argsPrompt.name, {}))
      assert.include(incomplete.message, argsPrompt.required)
      assert.strictEqual((yield* Effect.flip(runtime.getPrompt("nowhere")))._tag, "PromptNotFound")
    }),

  "arguments are completed; a server that completes nothing suggests nothing": ({ peer: { argsPrompt, completion } }) =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const [prompt, argument] =
        completion === undefined ? [argsPrompt.name, argsPrompt.required] : [completion.prompt, completion.argument]
      const { values } = yield* runtime.complete(
        { type: "prompt", name: prompt },
        { name: argument, value: completion?.value ?? "", others: completion?.others }
      )
      assert.deepStrictEqual(values, completion?.values ?? [])
    })
}
