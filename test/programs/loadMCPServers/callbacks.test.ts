import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { attempt } from "../../../src/programs/loadMCPServers/callbacks.ts"
import { listedTools } from "../../../src/programs/loadMCPServers/registry.ts"
import type { Tool } from "../../../src/programs/loadMCPServers/Tool.ts"
import { CALLBACK_WAIT_MS } from "../../../src/schemas/defaults/Configuration.ts"
import { agentTool } from "./runtime.ts"

const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  return { lines, layer: Logger.layer([logger]) }
}

const never = () => new Promise<void>(() => {})

describe("a program's own functions", () => {
  it.effect("are waited for, but not for ever", () => {
    const { layer, lines } = logged()
    return Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(attempt("registering x", never), { startImmediately: true })
      yield* TestClock.adjust(CALLBACK_WAIT_MS - 1)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(lines, [`registering x failed: it had not finished after ${CALLBACK_WAIT_MS} ms`])
    }).pipe(Effect.provide(layer))
  })

  it.effect("are called one after the other, whichever method follows the list", () => {
    const open: Array<string> = []
    let most = 0
    const registry = {
      register: async ({ name }: Tool) => {
        most = Math.max(most, open.push(name))
        await new Promise<void>((resolve) => setImmediate(resolve))
        open.splice(open.indexOf(name), 1)
      }
    }
    const listed = listedTools(
      registry,
      () => false,
      ({ name }) => ({ name }) as Tool
    )
    return Effect.gen(function* () {
      const lists = ["a", "b", "c"].map((name) => [agentTool("fs", name)])
      yield* Effect.all(lists.map(listed.follow), { concurrency: "unbounded" })
      assert.strictEqual(most, 1)
    })
  })
})
