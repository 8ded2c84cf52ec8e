import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as RpcTest from "effect/rpc/RpcTest"
import * as RpcSchema from "effect/rpc/RpcSchema"
import { layerNeedsAll } from "../../../../src/layers/control/ControlHandlers/powers.ts"
import { Control } from "../../../../src/schemas/control/Control.ts"
import { NeedsAll, OnlyReading, type Power, Powers } from "../../../../src/schemas/control/Powers.ts"

/** Requests that change nothing. A request that is neither here nor in `CHANGING` fails these tests. */
const READING = [
  "Hello",
  "Events",
  "History",
  "Tallies",
  "Timeline",
  "PastLogs",
  "PastCalls",
  "Trace",
  "Status",
  "Changes",
  "Ready",
  "Figures",
  "Own",
  "Fleet",
  "Nodes",
  "NodeLogs",
  "Server",
  "Configuration",
  "Plan",
  "ConfigFile",
  "CheckConfig",
  "Tools",
  "Context",
  "FindingPlaces",
  "Audit",
  "Logs",
  "Approvals",
  "Pins",
  "PinsChanges"
]

/** The others, each with a payload. */
const CHANGING: Readonly<Record<string, unknown>> = {
  Reset: { server: "fs" },
  Stop: { server: "fs" },
  DrainNode: { node: "node-1" },
  Login: { server: "fs" },
  Reload: undefined,
  SaveConfig: { text: "{}", hash: "" },
  ProposeServer: { text: "{}", server: { _tag: "Command", name: "a", words: ["b"], env: [] } },
  ProposeImport: { text: "{}" },
  Call: { name: "x", arguments: {}, look: "agent", asks: false },
  Answer: { id: "1", answer: "once" },
  Questions: undefined,
  AnswerQuestion: { id: "1", answer: { _tag: "Approval", answer: "once" } },
  ForgetApprovals: {},
  DecidePins: { server: "fs", launch: "", verdict: "approve", tools: [] },
  OpenPage: {}
}

class Reached extends Error {}

/** Handlers that say whether a request reached them. */
const reaching = (reached: (tag: string) => void) =>
  Control.toLayer(
    Object.fromEntries(
      [...Control.requests].map(([tag, rpc]) => [
        tag,
        () => {
          const end = Effect.suspend(() => {
            reached(tag)
            return Effect.die(new Reached())
          })
          return RpcSchema.isStreamSchema(rpc.successSchema) ? Stream.fromEffect(end) : end
        }
      ])
    ) as never
  )

const asked = Effect.fnUntraced(function* (powers: Power) {
  const reached = new Set<string>()
  const client = yield* RpcTest.makeClient(Control).pipe(
    Effect.provide(
      Layer.merge(
        reaching((tag) => reached.add(tag)),
        layerNeedsAll
      )
    ),
    Effect.provideService(Powers, powers)
  )
  const outcomes = yield* Effect.forEach(Object.entries(CHANGING), ([tag, payload]) => {
    const request = (client as never as Record<string, (payload: unknown) => unknown>)[tag]!(payload)
    const whole = Effect.isEffect(request) ? request : Stream.runDrain(request as Stream.Stream<unknown>)
    return Effect.map(Effect.exit(whole as Effect.Effect<unknown, unknown>), (exit) => {
      const [reason] = exit._tag === "Failure" ? exit.cause.reasons : []
      return [tag, reason?._tag === "Fail" ? reason.error : undefined] as const
    })
  })
  return { reached, outcomes }
})

describe("who may only look", () => {
  it("is known for each request of the contract: it reads, or it needs all powers", () => {
    assert.deepStrictEqual([...Control.requests.keys()].toSorted(), [...READING, ...Object.keys(CHANGING)].toSorted())
    const needing = [...Control.requests].flatMap(([tag, { middlewares }]) =>
      middlewares.has(NeedsAll as never) ? [tag] : []
    )
    assert.deepStrictEqual(needing.toSorted(), Object.keys(CHANGING).toSorted())
  })

  it.effect("is refused each request that changes something, before anything is done", () =>
    Effect.gen(function* () {
      const { outcomes, reached } = yield* asked("read-only")
      for (const [tag, error] of outcomes) {
        assert.isTrue(error instanceof OnlyReading && error.request === tag, tag)
      }
      assert.strictEqual(reached.size, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("is nobody by default", () =>
    Effect.gen(function* () {
      const { outcomes, reached } = yield* asked("all")
      assert.deepStrictEqual([...reached].toSorted(), Object.keys(CHANGING).toSorted())
      for (const [tag, error] of outcomes) assert.isFalse(error instanceof OnlyReading, tag)
    }).pipe(Effect.scoped)
  )
})
