/** Questions for a client in the middle of its request: sent at once, or given to it for when it comes back. */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import { LISTENER_ASK_MS } from "../../../../schemas/defaults/Listener.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import { AskRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { AskedMethod, ClientAbilities } from "../../../../services/listener/McpListener.ts"

/** Asks the client where it can be asked at any time (up to 2025-11-25). */
export type Push = (method: AskedMethod, params: JsonObject) => Effect.Effect<JsonObject, AskRefused>

/** By the names of the questions; from a stranger. */
export type Answers = Readonly<Record<string, unknown>>

/** A question that is not answered yet. */
export interface Ask {
  readonly method: AskedMethod
  readonly params: JsonObject
  readonly answered: (answer: Exit.Exit<JsonObject, AskRefused>) => void
}

/** What a request that is given back asks for, as the 2026-07-28 revision writes it. */
export const inputRequests = (asks: ReadonlyMap<string, Ask>): JsonObject =>
  Object.fromEntries([...asks].map(([key, { method, params }]) => [key, { method, params }]))

export const isAble = (can: ClientAbilities, method: AskedMethod, { mode }: JsonObject): boolean => {
  switch (method) {
    case "elicitation/create":
      return mode === "url" ? can.elicitation.url : can.elicitation.form
    case "sampling/createMessage":
      return can.sampling
    case "roots/list":
      return can.roots
  }
}

export const unable = (method: AskedMethod) =>
  new AskRefused({ reason: "unable", detail: `the client cannot be asked for ${method} here` })

export const refusedToAnswer = () => new AskRefused({ reason: "refused", detail: "the client did not give it" })

const noAnswer = () => new AskRefused({ reason: "gone", detail: "the client does not answer" })

/** Fails when the answer does not come in time. */
export const inTime = <A, E>(answer: Effect.Effect<A, E>): Effect.Effect<A, E | AskRefused> =>
  Effect.timeoutOrElse(answer, { duration: LISTENER_ASK_MS, orElse: () => Effect.fail(noAnswer()) })

/** Asks with this; `send` rejects with a code if the client refuses, and without one if it does not answer. */
export const pushWith =
  (send: (method: AskedMethod, params: JsonObject, signal: AbortSignal) => Promise<unknown>): Push =>
  (method, params) =>
    Effect.tryPromise({
      try: (signal) => send(method, params, signal),
      catch: (error) => (isObject(error) && Number.isSafeInteger(error["code"]) ? refusedToAnswer() : noAnswer())
    }).pipe(
      Effect.flatMap((answer) =>
        isObject(answer) ? Effect.succeed(answer as JsonObject) : Effect.fail(refusedToAnswer())
      ),
      inTime
    )
