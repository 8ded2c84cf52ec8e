/** A call that was under way at a node that dies: it runs again if it may, and its caller learns that it may have been executed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { farConnection } from "../../../../src/layers/fleet/ServerPool/farConnection.ts"
import type { Far, Home } from "../../../../src/layers/fleet/ServerPool/home.ts"
import { ProtocolError, type RequestError } from "../../../../src/schemas/connection/RequestError.ts"
import { serverConfig } from "../../../../src/schemas/connection/ServerConfig.ts"

const CONFIG = serverConfig("counter", { kind: "stdio", command: "counter", args: [], env: {}, cwd: undefined })

/** At a node that is dead. */
const far = {
  kind: "far",
  place: { key: "counter", epoch: 1, node: { name: "one", incarnation: "1" } },
  client: { ServerRequest: () => Effect.fail({ _tag: "RpcClientError" }) },
  calls: new Map()
} as unknown as Far

interface Given {
  readonly again?: boolean
  readonly isCurrent?: boolean
  readonly second?: Effect.Effect<unknown, RequestError>
}

/** How the call ends, and how often it was asked whether it may run again. */
const called = Effect.fnUntraced(function* ({ again, isCurrent = true, second = Effect.succeed("again") }: Given) {
  let asked = 0
  const near = { kind: "near", server: { use: () => second } } as unknown as Home
  const { request } = farConnection(far, {
    config: CONFIG,
    info: {} as never,
    catalogue: () => undefined,
    nextAfter: () => Effect.succeed(near),
    isCurrent: () => isCurrent
  })
  const mayRunAgain = Effect.sync(() => {
    asked++
    return again === true
  })
  const options = { idleMs: 1, totalMs: 1, ...(again !== undefined && { mayRunAgain }) }
  const end = yield* Effect.result(request("tools/call", { name: "count" }, options))
  return { asked, end }
})

const failureOf = ({ end }: Effect.Success<ReturnType<typeof called>>) =>
  end._tag === "Failure" ? end.failure : assert.fail("it did not fail")

describe("a call at a node that dies", () => {
  it.effect("runs again if it may", () =>
    Effect.gen(function* () {
      const { asked, end } = yield* called({ again: true })
      assert.propertyVal(end, "success", "again")
      assert.strictEqual(asked, 1)
    })
  )

  it.effect("fails if it may not, and may have been executed", () =>
    Effect.gen(function* () {
      for (const again of [undefined, false]) {
        assert.include(failureOf(yield* called(again === undefined ? {} : { again })), {
          _tag: "ConnectionLost",
          maybeExecuted: true
        })
      }
    })
  )

  it.effect("does not run again from a node that may have been replaced", () =>
    Effect.gen(function* () {
      const failed = yield* called({ again: true, isCurrent: false })
      assert.include(failureOf(failed), { _tag: "ConnectionLost", maybeExecuted: true })
      assert.strictEqual(failed.asked, 0)
    })
  )

  it.effect("may have been executed, although its last run was refused", () =>
    Effect.gen(function* () {
      const refused = new ProtocolError({ server: "counter", code: -32_602, detail: "refused" })
      const failed = yield* called({ again: true, second: Effect.fail(refused) })
      assert.include(failureOf(failed), {
        _tag: "ProtocolError",
        code: -32_602,
        detail: "refused",
        maybeExecuted: true
      })
    })
  )
})
