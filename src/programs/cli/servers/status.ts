/**
 * `mcp-live status`: the state of each server of the running gateway. Without one it starts the servers, to see whether they can be
 * started.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { soonEnough, tellMissing, waitFlag } from "./arrival.ts"
import { root } from "../command.ts"
import { withOwn } from "../running/withOwn.ts"
import { configurationLines } from "../configuration/rendering.ts"
import { complain, printJson, printStatus } from "../output.ts"
import { pinNotes } from "../pins/text.ts"
import { nodesOf, nothingOf, ownOf, silentIn, statusesIn } from "../fleet/nodes.ts"
import { personFlag } from "../recordFlags.ts"
import { runningFlags } from "../running/choice.ts"
import { statusOf } from "./once.ts"
import { withGateway } from "../running/withGateway.ts"
import { connecting, connectingIn, tellingWait } from "./waiting.ts"

const startingNone = (config: GatewayConfig): GatewayConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({ ...agent, servers: [] }))
})

export const status = Command.make(
  "status",
  { wait: waitFlag, person: personFlag, ...runningFlags },
  Effect.fnUntraced(function* ({ wait, ...given }) {
    const { person: wanted, ...running } = given
    const person = Option.getOrUndefined(wanted)
    const { json } = yield* root
    yield* withGateway(
      running,
      Effect.fnUntraced(function* (runtime) {
        yield* tellingWait(wait ? runtime.ready : soonEnough(runtime, runtime.ready), connecting(runtime))
        // Definitions are reviewed when they are read.
        yield* runtime.allTools
        const all = yield* runtime.status
        const servers = person === undefined ? all : {}
        const late = connectingIn(servers)
        const configuration = runtime.configuration === undefined ? undefined : yield* runtime.configuration
        const own = runtime.own === undefined ? undefined : ownOf(yield* runtime.own, person)
        const inAll = runtime.nodes === undefined ? null : yield* runtime.nodes
        const nodes = inAll === null ? null : nodesOf(inAll, person)
        const inFleet = nodes === null ? {} : { nodes: nodes.nodes }
        const document = { agent: runtime.agent, servers, connecting: late, configuration, own, ...inFleet }
        const shown = nodes === null ? withOwn(servers, own ?? []) : statusesIn(nodes)
        const isEmpty = person !== undefined && Object.keys(shown).length === 0
        yield* json
          ? printJson(document)
          : isEmpty
            ? complain(nothingOf(person))
            : printStatus(statusOf(runtime, shown))
        for (const silent of nodes === null ? [] : silentIn(nodes)) yield* complain(silent)
        for (const line of configuration === undefined ? [] : configurationLines(configuration)) yield* complain(line)
        yield* tellMissing(servers)
        for (const note of pinNotes(servers)) yield* complain(note)
      }),
      // Servers of its own run for nobody else.
      person === undefined ? {} : { narrow: startingNone }
    )
  })
).pipe(
  Command.withDescription(
    "Show the state of each server of the running gateway; without one, start the servers, show the state of each, and stop them"
  ),
  Command.withShortDescription("Show the state of each server")
)
