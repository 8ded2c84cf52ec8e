/** What the stores of calls keep of people: in files, or in the database of a fleet. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApprovalStore } from "../../services/call/ApprovalStore.ts"
import { AuditTrail } from "../../services/call/AuditTrail.ts"
import { PersonStores, type PersonStore } from "../../services/call/PersonStores.ts"
import { PinStore } from "../../services/call/PinStore.ts"
import { QuotaStore } from "../../services/call/QuotaStore.ts"
import { launches } from "./PersonStores/launches.ts"

const wordsOf = ({ message }: { readonly message: string }): string => message

const approvals = (store: ApprovalStore["Service"]): PersonStore => ({
  what: "approvals for good",
  forget: ({ ids }) =>
    Effect.gen(function* () {
      const theirs = (yield* store.list).filter(({ personId }) => personId !== undefined && ids.includes(personId))
      yield* Effect.forEach(theirs, store.remove, { discard: true })
      return theirs.length
    }).pipe(Effect.mapError(wordsOf))
})

const quotas = (store: QuotaStore["Service"]): PersonStore => ({
  what: "counts of quotas",
  forget: ({ ids }) =>
    Effect.map(Effect.forEach(ids, store.forget), (counts) => counts.reduce((sum, count) => sum + count, 0))
})

const records = (trail: AuditTrail["Service"]): PersonStore => ({
  what: "records of the audit log",
  staysNameless: true,
  forget: (person) => Effect.mapError(trail.forget(person), wordsOf)
})

/** With `more` stores. The records come last: they say who a person is. */
export const layer = <R>(
  more: Effect.Effect<ReadonlyArray<PersonStore>, never, R>
): Layer.Layer<PersonStores, never, ApprovalStore | QuotaStore | PinStore | AuditTrail | R> =>
  Layer.effect(
    PersonStores,
    Effect.gen(function* () {
      const [approved, counted, recorded] = [yield* ApprovalStore, yield* QuotaStore, yield* AuditTrail]
      return [approvals(approved), quotas(counted), ...(yield* more), launches(yield* PinStore), records(recorded)]
    })
  )
