/** Calls of commands and of the operator's page. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { makeCalls } from "../../../../src/layers/control/ControlHandlers/calls.ts"
import { Approvals } from "../../../../src/services/call/Approvals.ts"
import type { McpRuntimeShape } from "../../../../src/services/call/McpRuntime.ts"
import { HostFeatures, type Unasked } from "../../../../src/services/content/HostFeatures.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

const SERVERS = ["files", "git"]

/** Calls a tool; gives the servers that are told that they cannot ask about it. */
const unaskedBy = (name: string) => {
  let inside: ReadonlyArray<string> = []
  const during: Array<ReadonlyArray<string>> = []
  const unasked: Unasked = (servers, call) =>
    Effect.acquireUseRelease(
      Effect.sync(() => (inside = servers.map((server) => server.name))),
      () => call,
      () => Effect.sync(() => (inside = []))
    )
  const runtime = {
    allTools: Effect.succeed(SERVERS.map((server) => ({ name: `mcp_${server}_read`, server }))),
    status: Effect.succeed(Object.fromEntries(SERVERS.map((server) => [server, {}]))),
    inspect: (server: string) => Effect.succeed({ config: serverConfig(server) }),
    call: () =>
      Effect.sync(() => {
        during.push(inside)
        return { content: [], isError: false, details: {} }
      })
  } as unknown as McpRuntimeShape
  return Effect.gen(function* () {
    const calls = yield* makeCalls
    const events = calls.call(runtime, { name, arguments: {}, look: "agent", asks: false })
    assert.deepStrictEqual(
      (yield* Stream.runCollect(events)).map(({ _tag }) => _tag),
      ["Result"]
    )
    return during
  }).pipe(
    Effect.provide(
      Layer.merge(
        Layer.mock(Approvals)({ endSession: () => Effect.void }),
        Layer.mock(HostFeatures)({ capabilities: () => ({}), unasked })
      )
    )
  )
}

describe("a call that is no client's", () => {
  it.effect("is known at the host of its server meanwhile, so that no client is asked about it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unaskedBy("mcp_git_read"), [["git"]])
    })
  )

  it.effect("is known for every server, if its tool may call any of them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unaskedBy("mcp_call_tool"), [SERVERS])
    })
  )
})
