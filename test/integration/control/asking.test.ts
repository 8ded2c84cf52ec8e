/** An agent's call that needs approval, answered by an operator over the socket of the gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { attend } from "../../../src/programs/cli/questions/attend.ts"
import type { Dialogue } from "../../../src/programs/cli/questions/elicit.ts"
import type { Floor } from "../../../src/programs/cli/questions/questions.ts"
import { connect } from "../../../src/programs/cli/running/client.ts"
import type { ApprovalAnswer } from "../../../src/schemas/call/Approval.ts"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import { hostile } from "../../fixtures/servers.ts"
import { reachable } from "../../support/control.ts"
import { pauses } from "../../support/pause.ts"

const asking = { mcp: { servers: { fs: hostile() } }, gateway: { tools: { ask: ["fs/echo"] } } }
const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

/** A terminal at which every question gets the next of these lines. */
const makeTerminal = (lines: Queue.Dequeue<string>) => {
  const said: Array<string> = []
  const dialogue: Dialogue = {
    width: () => 80,
    show: (text) => Effect.sync(() => void said.push(text)),
    ask: () => Queue.take(lines)
  }
  const floor: Floor = (use) => use(dialogue)
  return { said, floor }
}

describe.skipIf(process.platform === "win32")("a person who attends a gateway", () => {
  it.live("approves and denies calls of its agent, with what would be sent before their eyes", () =>
    Effect.gen(function* () {
      const { found, runtime } = yield* reachable(asking)
      yield* runtime.ready
      const call = (text: string) => Effect.map(runtime.call("mcp_fs_echo", { text }), textOf)
      assert.include(yield* call("before"), "nobody can be asked here")
      const { operator } = yield* connect(found, undefined, {})
      const lines = yield* Queue.unbounded<string>()
      const { floor, said } = makeTerminal(lines)
      yield* Effect.forkScoped(attend(operator, floor))
      // From when on they attend, calls wait.
      yield* Queue.offerAll(lines, ["n", "y"])
      const first = yield* call("first").pipe(
        Effect.repeat({ schedule: pauses, until: (text) => !text.includes("nobody can be asked") })
      )
      assert.include(first, "who said no")
      assert.include(yield* call("second"), "second")
      assert.include(said.join("\n"), '│ text: "first"')
      assert.include(said.join("\n"), "(approved, this once)")
    }).pipe(Effect.scoped)
  )

  it.live("gets the withdrawal of a question that was answered at the gateway's terminal", () =>
    Effect.gen(function* () {
      const given = yield* Deferred.make<ApprovalAnswer>()
      const { found, runtime } = yield* reachable(asking, { approve: () => Deferred.await(given) })
      yield* runtime.ready
      const { operator } = yield* connect(found, undefined, {})
      const { floor, said } = makeTerminal(yield* Queue.unbounded<string>())
      yield* Effect.forkScoped(attend(operator, floor))
      const call = yield* Effect.forkChild(runtime.call("mcp_fs_echo", { text: "x" }))
      yield* Effect.void.pipe(Effect.repeat({ schedule: pauses, until: () => said.length > 0 }))
      yield* Deferred.succeed(given, "once")
      assert.isFalse((yield* Fiber.join(call)).isError)
      yield* Effect.void.pipe(
        Effect.repeat({ schedule: pauses, until: () => said.some((text) => text.includes("is withdrawn")) })
      )
    }).pipe(Effect.scoped)
  )
})
