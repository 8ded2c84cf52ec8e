import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import { makeRuled } from "../../../../../src/layers/listener/McpListener/http/ruled.ts"
import { CLIENT_STREAMS_CHECK_MS } from "../../../../../src/schemas/defaults/Clients.ts"

const responding = () => {
  const state = { isOpen: true }
  const response = Object.assign(new EventEmitter(), {
    destroy: () => {
      state.isOpen = false
      response.emit("close")
    }
  })
  return { state, response: response as unknown as ServerResponse }
}

const keptFor = (principal: string, ended: Array<string>) => ({
  who: { principal, agent: undefined },
  end: () => void ended.push(principal)
})

describe("the rules of clients at the door", () => {
  it.effect("end what a client has open soon after they let it in no more, and nothing of others", () =>
    Effect.gen(function* () {
      const letIn = new Set(["ada", "bob"])
      const ended: Array<string> = []
      const kept = ["ada", "bob"].map((principal) => keptFor(principal, ended))
      const { admitted, note } = makeRuled(
        ({ agent, principal }) => (letIn.has(principal) ? { agent } : undefined),
        yield* FiberSet.makeRuntime(),
        (text) => text,
        () => 0,
        () => kept
      )
      const [ada, bob, over] = [responding(), responding(), responding()]
      const who = (principal: string) => ({ principal, agent: undefined })
      note(who("ada"), ada.response)
      note(who("bob"), bob.response)
      note(who("ada"), over.response)
      over.response.emit("close")
      yield* TestClock.adjust(CLIENT_STREAMS_CHECK_MS)
      assert.isTrue(ada.state.isOpen && bob.state.isOpen)
      assert.isEmpty(ended)
      letIn.delete("ada")
      assert.isUndefined(admitted(who("ada")))
      yield* TestClock.adjust(CLIENT_STREAMS_CHECK_MS)
      assert.deepStrictEqual([ada.state.isOpen, bob.state.isOpen, over.state.isOpen], [false, true, true])
      assert.deepStrictEqual(ended, ["ada"])
    })
  )

  it.effect("end it also when another client could not be judged, and after a mistake", () =>
    Effect.gen(function* () {
      const letIn = new Set(["ada", "bob"])
      const ended: Array<string> = []
      const { note } = makeRuled(
        ({ agent, principal }) => {
          if (principal === "broken") throw new Error("a mistake")
          return letIn.has(principal) ? { agent } : undefined
        },
        yield* FiberSet.makeRuntime(),
        (text) => text,
        () => 0,
        () => ["broken", "ada", "bob"].filter((one) => !ended.includes(one)).map((one) => keptFor(one, ended))
      )
      const [ada, bob, broken] = [responding(), responding(), responding()]
      const who = (principal: string) => ({ principal, agent: undefined })
      note(who("broken"), broken.response)
      note(who("ada"), ada.response)
      note(who("bob"), bob.response)
      for (const { expected, left } of [
        { left: "ada", expected: [false, true] },
        { left: "bob", expected: [false, false] }
      ]) {
        letIn.delete(left)
        yield* TestClock.adjust(CLIENT_STREAMS_CHECK_MS)
        assert.deepStrictEqual([ada.state.isOpen, bob.state.isOpen], expected)
        assert.strictEqual(ended.at(-1), left)
      }
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
