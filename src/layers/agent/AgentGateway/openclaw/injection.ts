/**
 * Decides which of our tools a session of the gateway has: gives them to it on first use, replaces them when they change, and
 * removes them before they stop. Calls belong to the answer that is running in that session.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { GatewayError } from "../../../../schemas/agent/GatewayError.ts"
import type { McpRuntimeShape } from "../../../../services/call/McpRuntime.ts"
import type { SessionToolInjector } from "../../../../services/agent/SessionToolInjector.ts"
import type { SessionTools } from "../../../../services/agent/SessionTools.ts"
import type { TurnCalls } from "./callMatching.ts"

interface Given {
  /** The tools that it was made of. */
  readonly own: McpRuntimeShape | undefined
  readonly brought: McpRuntimeShape | undefined
  readonly scope: Scope.Closeable
}

export interface Wanted extends Pick<Given, "own" | "brought"> {
  readonly sessionKey: string
  readonly gatewayKey: string
  readonly runtime: McpRuntimeShape
}

export const makeInjection = Effect.fnUntraced(function* (
  injector: SessionToolInjector["Service"],
  sessionTools: SessionTools["Service"]
): Effect.fn.Return<
  {
    readonly give: (wanted: Wanted) => Effect.Effect<void, GatewayError>
    readonly takeBack: (sessionKey: string) => Effect.Effect<void>
    /** From now until it has ended, calls belong to this answer. */
    readonly during: (sessionKey: string, turn: TurnCalls) => Effect.Effect<void, never, Scope.Scope>
  },
  never,
  Scope.Scope
> {
  const layerScope = yield* Effect.scope
  const given = new Map<string, Given>()
  const turns = new Map<string, TurnCalls>()

  const takeBack = (sessionKey: string) =>
    Effect.suspend(() => {
      const one = given.get(sessionKey)
      given.delete(sessionKey)
      return one === undefined ? Effect.void : Scope.close(one.scope, Exit.void)
    })

  const inTurn = (sessionKey: string, runtime: McpRuntimeShape): McpRuntimeShape => ({
    ...runtime,
    call: (name, args, options) =>
      Effect.suspend(() => (turns.get(sessionKey)?.call ?? runtime.call)(name, args, options))
  })

  return {
    takeBack,
    give: Effect.fnUntraced(function* ({ brought, gatewayKey, own, runtime, sessionKey }) {
      const before = given.get(sessionKey)
      if (before !== undefined && before.own === own && before.brought === brought) return
      yield* takeBack(sessionKey)
      const one = yield* Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const scope = yield* Scope.fork(layerScope)
          yield* restore(injector.inject(gatewayKey, inTurn(sessionKey, runtime)).pipe(Scope.provide(scope))).pipe(
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
          )
          const made: Given = { own, brought, scope }
          given.set(sessionKey, made)
          return made
        })
      )
      if (brought === undefined) return
      yield* sessionTools.onClear(
        sessionKey,
        Effect.suspend(() => (given.get(sessionKey) === one ? takeBack(sessionKey) : Effect.void))
      )
    }),
    during: (sessionKey, turn) =>
      Effect.acquireRelease(
        Effect.sync(() => void turns.set(sessionKey, turn)),
        () =>
          Effect.andThen(
            Effect.sync(() => void turns.delete(sessionKey)),
            turn.end
          )
      )
  }
})
