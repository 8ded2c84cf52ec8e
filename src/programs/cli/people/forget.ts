/** `mcp-live forget PERSON`: removes what is kept of a person, and takes their name out of the records that stay. Starts no server. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { PersonStores } from "../../../services/call/PersonStores.ts"
import { EXIT_FAILED, ExitWith, loadConfigured, root, withLogLevel } from "../command.ts"
import { complain, print, printJson } from "../output.ts"
import { untilStopped } from "../signals.ts"
import { nobodyIs, personOf, withPerson } from "./person.ts"

interface Forgotten {
  readonly what: string
  readonly staysNameless?: boolean
  readonly count?: number
  readonly fault?: string
}

const told = ({ count, fault, staysNameless = false, what }: Forgotten): Effect.Effect<void> =>
  fault === undefined
    ? print(`${what}: ${count} ${staysNameless ? "without a name now" : "removed"}`)
    : complain(`${what}: ${fault}`)

export const forget = Command.make(
  "forget",
  {
    person: Argument.String("person").pipe(
      Argument.withDescription("The exact name of a person, or their id, as 'mcp-live audit --json' shows them")
    )
  },
  Effect.fnUntraced(function* ({ person: given }) {
    const { config, json } = yield* root
    // One that cannot be read may name a fleet: then this would forget in another place.
    yield* loadConfigured
    const { people } = yield* Effect.promise(() => import("../../../layers/McpLive/people.ts"))
    yield* Effect.gen(function* () {
      const person = yield* personOf(given)
      const forgotten: Array<Forgotten> = []
      // One after the other: the records, which come last, say who a person is.
      for (const { forget: remove, staysNameless = false, what } of yield* PersonStores) {
        const done = yield* Effect.result(remove(person))
        forgotten.push(
          done._tag === "Failure" ? { what, fault: done.failure } : { what, staysNameless, count: done.success }
        )
      }
      const isKnown =
        person.names.length > 0 || forgotten.some(({ count, fault }) => count !== 0 || fault !== undefined)
      if (!isKnown) return yield* nobodyIs(given)
      if (json) yield* printJson({ forgotten: forgotten.map(({ count, fault, what }) => ({ what, count, fault })) })
      else yield* Effect.forEach(forgotten, told, { discard: true })
      if (forgotten.some(({ fault }) => fault !== undefined)) return yield* new ExitWith({ code: EXIT_FAILED })
    }).pipe(withPerson, Effect.provide(people(Option.getOrUndefined(config))), untilStopped, withLogLevel("Warn"))
  })
).pipe(
  Command.withDescription(
    "Forget a person: remove their approvals for good, quotas, logins at servers, kept results, conversations and the lines of the log about servers that ran for them alone, and take their name and id out of pins and the audit log, which stay. Starts no server"
  ),
  Command.withShortDescription("Remove what is kept of a person"),
  Command.withExamples([{ command: "mcp-live forget ada@example.com", description: "By name" }])
)
