/** `mcp-live forget PERSON`: removes what is kept of a person, and takes their name out of the records that stay. Starts no server. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { PersonStores } from "../../../services/call/PersonStores.ts"
import { EXIT_FAILED, ExitWith, root, withLogLevel } from "../command.ts"
import { complain, print, printJson, visible } from "../output.ts"
import { untilStopped } from "../signals.ts"
import { personOf } from "./person.ts"

export const forget = Command.make(
  "forget",
  {
    person: Argument.String("person").pipe(
      Argument.withDescription("The name of a person, or their id, as 'mcp-live audit --json' shows them")
    )
  },
  Effect.fnUntraced(function* ({ person: given }) {
    const { config, json } = yield* root
    const { people } = yield* Effect.promise(() => import("../../../layers/McpLive/people.ts"))
    yield* Effect.gen(function* () {
      const person = yield* personOf(given)
      if (person.ids.length === 0) {
        yield* json ? printJson({ forgotten: [] }) : complain(`there is no record of '${visible(given)}'`)
        return yield* new ExitWith({ code: EXIT_FAILED })
      }
      const forgotten: Array<{ readonly what: string; readonly count?: number; readonly fault?: string }> = []
      // One after the other: the records, which come last, say who a person is.
      for (const { forget: remove, staysNameless = false, what } of yield* PersonStores) {
        const done = yield* Effect.result(remove(person))
        if (done._tag === "Failure") {
          forgotten.push({ what, fault: done.failure })
          if (!json) yield* complain(`${what}: ${done.failure}`)
          continue
        }
        forgotten.push({ what, count: done.success })
        if (!json) yield* print(`${what}: ${done.success} ${staysNameless ? "without a name now" : "removed"}`)
      }
      if (json) yield* printJson({ forgotten })
      if (forgotten.some(({ fault }) => fault !== undefined)) return yield* new ExitWith({ code: EXIT_FAILED })
    }).pipe(Effect.provide(people(Option.getOrUndefined(config))), untilStopped, withLogLevel("Warn"))
  })
).pipe(
  Command.withDescription(
    "Forget a person: remove their approvals for good, quotas, logins at servers, kept results and conversations, and take their name and id out of the audit log, whose records stay. Starts no server"
  ),
  Command.withShortDescription("Remove what is kept of a person"),
  Command.withExamples([{ command: "mcp-live forget ada@example.com", description: "By name" }])
)
