import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { fileURLToPath } from "node:url"
import { hostOptions } from "../../../src/programs/loadMCPServers/promiseHost.ts"
import {
  type ElicitationRequest,
  HostRefusal,
  REFUSED,
  type SamplingRequest
} from "../../../src/schemas/content/HostRequest.ts"

const SAMPLING: SamplingRequest = {
  server: "fs",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  systemPrompt: undefined,
  maxTokens: 10,
  temperature: undefined,
  stopSequences: [],
  modelHints: []
}
const ELICITATION: ElicitationRequest = { mode: "form", server: "fs", message: "Which?", requestedSchema: {} }

describe("what a program offers to servers", () => {
  it("is nothing that it has not given", () => {
    assert.deepStrictEqual(hostOptions({}), {})
  })

  it("is its workspace as one root, whatever its path", () => {
    const [root] = hostOptions({ workspaceDir: "/srv/my work#1" }).roots ?? []
    assert.strictEqual(root?.name, "my work#1")
    assert.isTrue(root?.uri.startsWith("file:///"))
    assert.strictEqual(fileURLToPath(root!.uri), "/srv/my work#1")
  })

  it.effect("is what its callbacks answer", () =>
    Effect.gen(function* () {
      const { elicit, sample } = hostOptions({
        onSamplingRequest: async ({ server }) => ({ text: `to ${server}`, model: "m" }),
        onElicitationRequest: async ({ message }) => ({ action: "accept", content: { message } })
      })
      assert.deepStrictEqual(yield* sample!(SAMPLING), { text: "to fs", model: "m" })
      assert.deepStrictEqual(yield* elicit!(ELICITATION), { action: "accept", content: { message: "Which?" } })
    })
  )

  it.effect("is a refusal where a callback throws one", () =>
    Effect.gen(function* () {
      const refusal = new HostRefusal({ code: REFUSED, message: "not today" })
      const { sample } = hostOptions({ onSamplingRequest: () => Promise.reject(refusal) })
      assert.strictEqual(yield* Effect.flip(sample!(SAMPLING)), refusal)
    })
  )

  it.effect("is no answer where a callback fails: a defect, for those who answer servers to log", () =>
    Effect.gen(function* () {
      const bug = new TypeError("a bug")
      const { elicit, sample } = hostOptions({
        onSamplingRequest: () => Promise.reject(bug),
        onElicitationRequest: () => {
          throw bug
        }
      })
      for (const ask of [sample!(SAMPLING), elicit!(ELICITATION)]) {
        const exit = yield* Effect.exit<unknown, unknown, never>(ask)
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === bug)
      }
    })
  )

  it.effect("is told when a server needs no answer any more", () =>
    Effect.gen(function* () {
      const asked = Promise.withResolvers<AbortSignal>()
      const { sample } = hostOptions({
        onSamplingRequest: (_request, signal) => {
          asked.resolve(signal)
          return new Promise(() => {})
        }
      })
      const fiber = yield* Effect.forkChild(sample!(SAMPLING))
      const signal = yield* Effect.promise(() => asked.promise)
      assert.isFalse(signal.aborted)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(signal.aborted)
    })
  )
})
