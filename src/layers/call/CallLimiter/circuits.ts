/**
 * The circuit breakers of servers, one for each client that is distinguished. `CircuitBreakerStore` holds their state. It is
 * used only for servers in trouble: a server that has not failed since its last answer has no entry, and its calls cost
 * nothing.
 *
 * `failures` in a row, in the order in which calls end, open a circuit. After `coolDownMs` one call tries the server while
 * others are refused: an answer closes the circuit, a failure opens it again, and any other end leaves the trial to the next
 * call. A new connection changes nothing, because a server that fails at each call is reconnected all the time.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Scope from "effect/Scope"
import { CIRCUIT_KEPT_MS, CIRCUIT_TRIAL_WAIT_MS } from "../../../schemas/defaults/CallLimits.ts"
import { CircuitOpen, type CallError, type LimitError } from "../../../schemas/call/CallError.ts"
import type { LimitedCaller } from "../../../services/call/CallLimiter.ts"
import { outcomeOf, type Outcome } from "./outcome.ts"

type Store = CircuitBreaker.CircuitBreakerStore["Service"]

interface Trouble {
  /** `failing`: there were failures, but calls are allowed. `open`: the store decides about each call. */
  readonly state: "failing" | "open"
  readonly at: number
  /** When open: from this time on a call may try the server. */
  readonly until: number
}

const openedWords = ({ limits, server }: LimitedCaller, waitMs: number): string =>
  `[${server}] ${limits.failures} calls in a row failed: calls are refused for ${waitMs} ms, then one tries the server`
const reopenedWords = ({ server }: LimitedCaller, waitMs: number): string =>
  `[${server}] failed again after a restart: calls are refused for ${waitMs} ms, then one tries the server`
const closedWords = ({ server }: LimitedCaller): string => `[${server}] answers again: calls are allowed`

/** From this many servers in trouble on, expired ones are removed. */
const LOOKED_THROUGH_FROM = 64

const FOR_CLIENT = "\nfor "

/** Each client has its own circuit: its failures do not affect others. */
const circuitOf = ({ client, process }: LimitedCaller): string =>
  client === undefined ? process : `${process}${FOR_CLIENT}${client}`

export const makeCircuits = (store: Store, clock: Clock.Clock) => {
  const troubles = new Map<string, Trouble>()
  let lookAt = LOOKED_THROUGH_FROM

  const mark = (circuit: string, state: Trouble["state"], waitMs = 0) => {
    const at = clock.currentTimeMillisUnsafe()
    troubles.set(circuit, { state, at, until: at + waitMs })
    if (troubles.size < lookAt) return
    for (const [key, trouble] of troubles) if (at - trouble.at >= CIRCUIT_KEPT_MS) troubles.delete(key)
    lookAt = Math.max(LOOKED_THROUGH_FROM, troubles.size * 2)
  }

  const isOpen = (circuit: string): boolean => troubles.get(circuit)?.state === "open"

  /** The circuits of all clients. */
  const circuitsOf = (process: string): ReadonlyArray<string> =>
    [...troubles.keys()].filter((circuit) => circuit === process || circuit.startsWith(process + FOR_CLIENT))

  const opened = (caller: LimitedCaller, waitMs: number, words: typeof openedWords): Effect.Effect<void> => {
    const known = isOpen(circuitOf(caller))
    mark(circuitOf(caller), "open", waitMs)
    return known ? Effect.void : Effect.logWarning(words(caller, waitMs))
  }

  const closed = (caller: LimitedCaller): Effect.Effect<void> => {
    const known = isOpen(circuitOf(caller))
    troubles.delete(circuitOf(caller))
    return known ? Effect.logInfo(closedWords(caller)) : Effect.void
  }

  const record = (
    caller: LimitedCaller,
    { generation }: CircuitBreaker.Admission,
    outcome: Outcome
  ): Effect.Effect<void> =>
    store
      .record({
        key: circuitOf(caller),
        generation,
        outcome,
        tripPolicy: { _tag: "Consecutive", failures: caller.limits.failures },
        openFor: Duration.millis(caller.limits.coolDownMs)
      })
      .pipe(
        Effect.flatMap((transition) => {
          if (outcome === "Success") return closed(caller)
          if (outcome === "Ignored") return Effect.void
          if (transition?.to === "Open") return opened(caller, caller.limits.coolDownMs, openedWords)
          return Effect.sync(() => mark(circuitOf(caller), "failing"))
        }),
        Effect.ignore
      )

  const refusal = (server: string, { reason }: CircuitBreaker.CircuitBreakerError): CircuitOpen =>
    new CircuitOpen({
      server,
      // Nobody knows how long a trial takes.
      retryInMs: reason._tag === "CircuitOpen" ? Math.ceil(Duration.toMillis(reason.retryAfter)) : CIRCUIT_TRIAL_WAIT_MS
    })

  /**
   * Records the outcome of a call that was allowed without asking the store. If others have opened the circuit in the
   * meantime, it does not count.
   */
  const tell = (caller: LimitedCaller, outcome: Outcome): Effect.Effect<void> =>
    Effect.scopedWith((scope) =>
      Effect.matchEffect(Scope.provide(store.admit(circuitOf(caller)), scope), {
        onSuccess: (admission) => record(caller, admission, outcome),
        onFailure: (error) =>
          outcome === "Failure" ? opened(caller, refusal(caller.server, error).retryInMs, reopenedWords) : Effect.void
      })
    )

  return {
    isOpen: (caller: LimitedCaller): boolean => troubles.size > 0 && isOpen(circuitOf(caller)),

    /** For an open circuit: the time until a call may try the server. */
    retryInMs: (process: string): number | undefined => {
      const open = circuitsOf(process).filter(isOpen)
      if (open.length === 0) return undefined
      return Math.max(0, ...open.map((circuit) => troubles.get(circuit)!.until - clock.currentTimeMillisUnsafe()))
    },

    /** For calls to an open circuit: refused, or the one that tries the server. */
    tryOut: <A, E extends CallError, R>(
      caller: LimitedCaller,
      call: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | LimitError, R> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.scopedWith((scope) =>
          Effect.matchEffect(Scope.provide(store.admit(circuitOf(caller)), scope), {
            onFailure: (error) => Effect.fail(refusal(caller.server, error)),
            onSuccess: (admission) =>
              Effect.onExitPrimitive(restore(call), (exit) => record(caller, admission, outcomeOf(exit)))
          })
        )
      ),

    /** For all other calls: nothing to do while the server answers. */
    ended: (caller: LimitedCaller, exit: Exit.Exit<unknown, CallError>): Effect.Effect<void> | undefined => {
      const outcome = outcomeOf(exit)
      if (outcome === "Success" && troubles.size === 0) return undefined
      const state = troubles.get(circuitOf(caller))?.state
      if (outcome === "Ignored" || state === "open") return undefined
      return outcome === "Success" && state === undefined ? undefined : tell(caller, outcome)
    },

    forgive: (process: string): void => {
      for (const circuit of circuitsOf(process)) mark(circuit, "failing")
    },

    /** The number of servers in trouble that are remembered. */
    kept: (): number => troubles.size
  }
}
