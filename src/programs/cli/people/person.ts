/** Who is meant by a name or an id. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { FORGOTTEN } from "../../../schemas/call/Forgotten.ts"
import { AuditTrail } from "../../../services/call/AuditTrail.ts"
import type { ForgottenPerson } from "../../../services/call/PersonStores.ts"
import { EXIT_FAILED, ExitWith, root, UsageError } from "../command.ts"
import { complain, printJson, visible } from "../output.ts"

const ID = /^[0-9a-f]{32}$/

/** No record names this person. */
export class PersonNotFound extends Data.TaggedError("PersonNotFound")<{ readonly message: string }> {}

const notFound = (given: string, near?: string) =>
  new PersonNotFound({
    message: `there is no record of "${visible(given)}"${near === undefined ? "" : `: did you mean "${visible(near)}"?`}`
  })

interface Known {
  readonly id: string
  readonly name: string
  readonly client: string | null
  readonly day: string
}

/** Says what tells people of one name apart. */
const describe = (all: ReadonlyArray<Known>, id: string): string => {
  const days = all.flatMap((one) => (one.id === id ? [one.day] : [])).toSorted()
  return `${id} (last call on ${days.at(-1)})`
}

/**
 * Who has exactly this name or id, as the records say; case counts, because it does for an issuer. An id can be that of somebody whom no
 * record names: such a person has no names.
 */
export const personOf = Effect.fnUntraced(function* (given: string) {
  const trail = yield* AuditTrail
  const { rows } = yield* trail.usage({ by: ["person", "client", "day"] })
  const known = rows.flatMap(({ of: { client = null, day, person }, personId }): ReadonlyArray<Known> =>
    personId == null || personId === FORGOTTEN ? [] : [{ id: personId, name: person ?? "", client, day: day ?? "" }]
  )
  const ids = [...new Set(known.flatMap(({ id, name }) => (name === given || id === given ? [id] : [])))]
  if (ids.length > 1) {
    return yield* new UsageError({
      message: `${ids.length} people have the name "${visible(given)}": give the id of one of them: ${ids.map((id) => describe(known, id)).join(", ")}`
    })
  }
  if (ids.length === 0 && !ID.test(given)) {
    const wanted = given.toLowerCase()
    const near = known.flatMap(({ id, name }) => [name, id]).find((one) => one.toLowerCase() === wanted)
    return yield* notFound(given, near)
  }
  const [id = given] = ids
  const theirs = known.filter((one) => one.id === id)
  return {
    ids: [id],
    names: [...new Set(theirs.map(({ name }) => name))],
    clients: [...new Set(theirs.flatMap(({ client }) => client ?? []))]
  } satisfies ForgottenPerson
})

/** Fails when an id turns out to be nobody's. */
export const nobodyIs = (given: string) => Effect.fail(notFound(given))

/** Reports that there is no such person; the exit code is 1. */
export const withPerson = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchTag(effect as Effect.Effect<A, E | PersonNotFound, R>, "PersonNotFound", (error) =>
    Effect.gen(function* () {
      const { message } = error as PersonNotFound
      const { json } = yield* root
      yield* json ? printJson({ error: { tag: "PersonNotFound", message } }) : complain(message)
      return yield* new ExitWith({ code: EXIT_FAILED })
    })
  )
