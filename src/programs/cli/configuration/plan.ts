/**
 * `mcp-live plan`: what an agent gets, tool by tool, or why not; what the edited file would change in the running gateway; and what the rules
 * of clients leave of it for somebody.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { nameWith } from "../../../schemas/connection/Isolation.ts"
import { renderArrival } from "../../../schemas/content/Rendering.ts"
import type { OwnServerValue } from "../../../schemas/control/FiguresValue.ts"
import { EXIT_FAILED, ExitWith, root } from "../command.ts"
import { columns, complain, print, printJson, visible } from "../output.ts"
import { runningFlags } from "../running/choice.ts"
import type { CommandRuntime } from "../running/client.ts"
import { withGateway } from "../running/withGateway.ts"
import { listedSoon, tellMissing, waitFlag } from "../servers/arrival.ts"
import { clientFlags, type PlannedFor, plannedFor } from "./planFor.ts"
import { renderPlan } from "./rendering.ts"

const OLDER = "the running gateway is older than this command and knows no rules of clients: use --standalone"

/** What runs for the person of the plan alone, as the running gateway knows. */
const ownOfPerson = (runtime: CommandRuntime, whom: PlannedFor | undefined) => {
  const name = whom?.caller.person?.name
  return runtime.own === undefined || name === undefined
    ? Effect.succeed([])
    : Effect.map(runtime.own, (all) => all.filter(({ whose }) => whose.startsWith(`${name} #`)))
}

const runningLine = ({ server, status, whose }: OwnServerValue): string =>
  renderArrival(nameWith(server, whose), status)

export const plan = Command.make(
  "plan",
  {
    ...clientFlags,
    wait: waitFlag,
    ...runningFlags
  },
  Effect.fnUntraced(function* ({ as, claims, client, group, role, scope, wait, ...running }) {
    const { agent, json } = yield* root
    const whom = yield* plannedFor({ as, claims, client, group, role, scope })
    yield* withGateway(
      running,
      Effect.fnUntraced(function* (runtime) {
        yield* listedSoon(runtime, wait)
        const planned = yield* runtime.plan(undefined, whom?.caller)
        const value = "plan" in planned ? planned : { plan: planned }
        if (whom !== undefined && value.plan.client === undefined) {
          yield* complain(OLDER)
          return yield* new ExitWith({ code: EXIT_FAILED })
        }
        const theirs = yield* ownOfPerson(runtime, whom)
        yield* json
          ? printJson({ ...value, ...(theirs.length === 0 ? {} : { theirs }) })
          : print(visible([renderPlan(value, columns()), ...theirs.map(runningLine)].join("\n")))
        yield* tellMissing(yield* runtime.status)
      }),
      { agent: Option.getOrUndefined(agent) ?? whom?.agent }
    )
  })
).pipe(
  Command.withDescription(
    "Show each tool of an agent with its size, or why the agent does not get it; in a running gateway also what the edited configuration would change. With --as or --client: what the rules of clients leave of it for them"
  ),
  Command.withShortDescription("Show each tool of an agent, or why it is not there")
)
