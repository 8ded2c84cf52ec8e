/** Stores the credentials of an entry, and puts references in their places. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Entry } from "../../../schemas/config/clients/ImportPlan.ts"
import { type Keeper, SecretKeeper } from "../../../services/secret/SecretKeeper.ts"

/** The entry with references. */
export const moved = Effect.fnUntraced(function* (server: string, given: Entry, keeper: Keeper) {
  const { movableIn } = yield* Effect.promise(() => import("../../../schemas/config/clients/MoveCredentials.ts"))
  const { keep } = yield* SecretKeeper
  let entry = given
  for (let next = movableIn(entry)[0]; next !== undefined; next = movableIn(entry)[0]) {
    const { name, replacedBy, secret } = next
    const { reference } = yield* keep(keeper, { server, name, value: Redacted.make(secret) })
    entry = replacedBy(reference)
  }
  return entry
})
