/** Questions of servers that callers at other nodes are asked, until they answer or the server does not want to know any more. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { HostRefusal, REFUSED } from "../../../schemas/content/HostRequest.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import type { LeaseEvent } from "../../../schemas/fleet/ServerRpcs.ts"
import type { Ask } from "../../../services/fleet/HomeServers.ts"

type Answer = { readonly result: JsonObject } | { readonly refusal: HostRefusal }

export const makeQuestions = () => {
  const open = new Map<string, Deferred.Deferred<JsonObject, HostRefusal>>()
  return {
    asking:
      (tell: (event: LeaseEvent) => boolean, call: string): Ask =>
      (method, params) =>
        Effect.suspend(() => {
          const question = randomUUID()
          const answer = Deferred.makeUnsafe<JsonObject, HostRefusal>()
          open.set(question, answer)
          return tell({ _tag: "Question", question, call, method, params })
            ? Deferred.await(answer).pipe(Effect.ensuring(Effect.sync(() => open.delete(question))))
            : Effect.andThen(
                Effect.sync(() => open.delete(question)),
                Effect.fail(new HostRefusal({ code: REFUSED, message: "the client of this call cannot be asked now" }))
              )
        }),
    answer: (question: string, answer: Answer): Effect.Effect<void> =>
      Effect.suspend(() => {
        const waiting = open.get(question)
        if (waiting === undefined) return Effect.void
        return "result" in answer ? Deferred.succeed(waiting, answer.result) : Deferred.fail(waiting, answer.refusal)
      })
  }
}
