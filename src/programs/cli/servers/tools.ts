/** `mcp-live tools`: the tools of an agent, and how to call them. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { renderFailures, renderTools } from "../../../schemas/content/Rendering.ts"
import { renderMeant, toolsMeant } from "../../../schemas/call/ToolSignature.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { listedSoon, tellMissing, toolSoon, waitFlag } from "./arrival.ts"
import { ownersOf } from "./owners.ts"
import { rememberTools, root } from "../command.ts"
import { readKnownTools } from "./knownTools.ts"
import { columns, complain, print, printJson } from "../output.ts"
import { pinNotes } from "../pins/text.ts"
import { runningFlags } from "../running/choice.ts"
import { statusOf } from "./once.ts"
import { withGateway } from "../running/withGateway.ts"
import { connectingIn } from "./waiting.ts"

/** One name per line; nothing before the first listing, or without a valid configuration. */
const printKnown = Effect.gen(function* () {
  const { agent, config } = yield* root
  const source = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  const loaded = ConfigSource.use(({ load }) => load).pipe(
    Effect.provide(source.layer({ path: Option.getOrUndefined(config) }))
  )
  const names = yield* loaded.pipe(
    Effect.flatMap(({ defaultAgent, file }) =>
      readKnownTools({ file, agent: Option.getOrElse(agent, () => defaultAgent) })
    ),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )
  yield* names.length === 0 ? Effect.void : print(names.join("\n"))
})

export const tools = Command.make(
  "tools",
  {
    name: Argument.String("tool").pipe(
      Argument.withDescription(
        "One tool, by its name or as server/tool, to see its arguments; or a word to search tools for"
      ),
      Argument.optional
    ),
    known: Flag.Boolean("known").pipe(
      Flag.withDescription("Only the names of the last listing, one per line; starts no server (for completion)"),
      Flag.withDefault(false)
    ),
    wait: waitFlag,
    ...runningFlags
  },
  Effect.fnUntraced(function* ({ known, name, wait, ...running }) {
    const { json } = yield* root
    if (known) return yield* printKnown
    const narrow = Option.match(name, { onNone: () => undefined, onSome: ownersOf })
    yield* withGateway(
      running,
      Effect.fnUntraced(function* (runtime) {
        yield* Option.match(name, {
          onNone: () => listedSoon(runtime, wait),
          onSome: (text) => Effect.asVoid(toolSoon(runtime, text, wait))
        })
        const [given, all, servers] = yield* Effect.all([runtime.tools, runtime.allTools, runtime.status])
        for (const note of pinNotes(servers)) yield* complain(note)
        const late = connectingIn(servers)
        yield* rememberTools(runtime.agent, all, late.length === 0 && Option.isNone(name))
        if (json) {
          const meant = Option.match(name, { onNone: () => all, onSome: (text) => toolsMeant(all, text) })
          const document = { agent: runtime.agent, tools: meant, servers, connecting: late }
          return yield* Effect.andThen(printJson(document), tellMissing(servers))
        }
        yield* print(
          Option.match(name, {
            onNone: () => renderTools(all, columns()),
            onSome: (text) => renderMeant(all, text, columns())
          })
        )
        if (given.length < all.length) {
          yield* complain(
            `these are too many for a model, so the agent gets ${given.map(({ name }) => name).join(", ")} to find them`
          )
        }
        for (const failure of renderFailures(statusOf(runtime, servers))) yield* complain(failure)
        yield* tellMissing(servers)
      }),
      { narrow }
    )
  })
).pipe(
  Command.withDescription("List the tools that an agent may use, or show the arguments of one"),
  Command.withShortDescription("List the tools of an agent, or show the arguments of one")
)
