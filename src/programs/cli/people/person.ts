/** Who is meant by a name or an id. */
import * as Effect from "effect/Effect"
import { AuditTrail } from "../../../services/call/AuditTrail.ts"
import type { ForgottenPerson } from "../../../services/call/PersonStores.ts"
import { UsageError } from "../command.ts"
import { visible } from "../output.ts"

const ID = /^[0-9a-f]{32}$/

/** Who has this name or id, as the records say; nobody has several. An id counts without any record, too. */
export const personOf = Effect.fnUntraced(function* (given: string) {
  const trail = yield* AuditTrail
  const { rows } = yield* trail.usage({ by: ["person", "client"] })
  const wanted = given.toLowerCase()
  const theirs = rows.filter(({ of, personId }) => of.person?.toLowerCase() === wanted || personId === wanted)
  const ids = new Set(theirs.flatMap(({ personId }) => personId ?? []))
  if (ids.size > 1) {
    return yield* new UsageError({
      message: `${ids.size} people have the name '${visible(given)}': give the id of one of them: ${[...ids].join(", ")}`
    })
  }
  if (ids.size === 0 && ID.test(wanted)) ids.add(wanted)
  const clients = new Set(theirs.flatMap(({ of }) => of.client ?? []))
  return { ids: [...ids], clients: [...clients] } satisfies ForgottenPerson
})
