/** `mcp-live plan`: what an agent gets, tool by tool, or why not; and what the edited file would change in the running gateway. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { root } from "../command.ts"
import { columns, print, printJson, visible } from "../output.ts"
import { runningFlags } from "../running/choice.ts"
import { withGateway } from "../running/withGateway.ts"
import { listedSoon, tellMissing, waitFlag } from "../servers/arrival.ts"
import { renderPlan } from "./rendering.ts"

export const plan = Command.make(
  "plan",
  {
    as: Flag.String("as").pipe(
      Flag.withMetavar("AGENT"),
      Flag.withDescription("The agent, by its name in the configuration; the same as --agent"),
      Flag.optional
    ),
    wait: waitFlag,
    ...runningFlags
  },
  Effect.fnUntraced(function* ({ as, wait, ...running }) {
    const { json } = yield* root
    yield* withGateway(
      running,
      Effect.fnUntraced(function* (runtime) {
        yield* listedSoon(runtime, wait)
        const planned = yield* runtime.plan()
        const value = "plan" in planned ? planned : { plan: planned }
        yield* json ? printJson(value) : print(visible(renderPlan(value, columns())))
        yield* tellMissing(yield* runtime.status)
      }),
      { agent: Option.getOrUndefined(as) }
    )
  })
).pipe(
  Command.withDescription(
    "Show each tool of an agent with its size, or why the agent does not get it; in a running gateway also what the edited configuration would change"
  ),
  Command.withShortDescription("Show each tool of an agent, or why it is not there")
)
