/**
 * The last access token of each person, in memory only, as long as it is good. It is a secret of nobody: masked in every text, and withheld from
 * every server.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { CALLER_TOKENS_KEPT, CALLERS_MAX } from "../../schemas/defaults/Clients.ts"
import { personIdOf } from "../../schemas/login/Identity.ts"
import { CallerTokens } from "../../services/login/CallerTokens.ts"
import { Redactor } from "../../services/content/Redactor.ts"

interface Known {
  readonly expiresAt: number
  /** The last one last, each with the owner that it has for the redactor. */
  readonly tokens: ReadonlyArray<{ readonly token: string; readonly owner: string }>
}

const make = Effect.gen(function* () {
  const { register, release } = yield* Redactor
  const clock = yield* Clock.Clock
  /** The one that was not heard of for longest first. */
  const persons = new Map<string, Known>()
  let count = 0

  return CallerTokens.of({
    seen: (person, token, expiresAt) => {
      const id = personIdOf(person)
      const before = persons.get(id)
      persons.delete(id)
      const known = before?.tokens.find((one) => one.token === token)
      // It comes with each request, and two clients of a person take turns: to register a token costs much more than a request.
      if (known !== undefined) {
        const others = before!.tokens.filter((one) => one !== known)
        return void persons.set(id, { expiresAt, tokens: [...others, known] })
      }
      const owner = `caller\n${id}\n${count++}`
      register(token, owner)
      const tokens = [...(before?.tokens ?? []), { token, owner }]
      for (const old of tokens.slice(0, -CALLER_TOKENS_KEPT)) release(old.owner)
      persons.set(id, { expiresAt, tokens: tokens.slice(-CALLER_TOKENS_KEPT) })
      if (persons.size <= CALLERS_MAX) return
      const [oldest, { tokens: theirs }] = persons.entries().next().value!
      persons.delete(oldest)
      for (const old of theirs) release(old.owner)
    },
    of: (person) => {
      const found = persons.get(personIdOf(person))
      return found === undefined || found.expiresAt <= clock.currentTimeMillisUnsafe()
        ? undefined
        : Redacted.make(found.tokens.at(-1)!.token)
    }
  })
})

/** The last token of each person, within bounds. */
export const layer: Layer.Layer<CallerTokens, never, Redactor> = Layer.effect(CallerTokens, make)
