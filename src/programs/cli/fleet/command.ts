/** `mcp-live fleet`: the nodes of the fleet that the running gateway belongs to; `fleet drain` takes one out. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { FleetValue } from "../../../schemas/control/FleetValue.ts"
import { type NodesValue, serversByNode } from "../../../schemas/control/NodesValue.ts"
import { EXIT_FAILED, ExitWith, root, UsageError } from "../command.ts"
import { complain, print, printJson, visible } from "../output.ts"
import { gatewayFlag } from "../running/choice.ts"
import type { Operator } from "../running/client.ts"
import { withRunningGateway } from "../running/withGateway.ts"
import { silentIn } from "./nodes.ts"
import { fleetTable, homesTable } from "./rendering.ts"

const NO_FLEET = "this gateway is not a node of a fleet: its configuration has no `fleet`"

const fleetOf = Effect.fnUntraced(function* ({ fleet }: Operator) {
  const found = yield* fleet
  if (found !== null) return found
  yield* complain(NO_FLEET)
  return yield* new ExitWith({ code: EXIT_FAILED })
})

const show = Effect.fnUntraced(function* (fleet: FleetValue, nodes: NodesValue | null) {
  const { json } = yield* root
  const servers = nodes === null ? [] : serversByNode(nodes)
  if (json) {
    const homes = servers.map(({ figures: { status }, node, server }) => ({
      server,
      node: status.node === null ? null : node,
      state: status.state,
      pid: status.pid
    }))
    yield* printJson({ ...fleet, servers: homes })
  } else {
    yield* print(visible(fleetTable(fleet, yield* Clock.currentTimeMillis)))
    if (servers.length > 0) yield* print(visible(`\n${homesTable(servers)}`))
  }
  for (const silent of nodes === null ? [] : silentIn(nodes)) yield* complain(silent)
})

const drain = Command.make(
  "drain",
  { node: Argument.String("node").pipe(Argument.withDescription("Its name")), gateway: gatewayFlag },
  Effect.fnUntraced(function* ({ gateway, node }) {
    const { json } = yield* root
    yield* withRunningGateway(
      gateway,
      Effect.fnUntraced(function* (_, operator) {
        const { nodes } = yield* fleetOf(operator)
        const isAsked = yield* operator
          .drainNode(node)
          .pipe(
            Effect.catchTag("DatabaseAway", ({ message }) =>
              Effect.andThen(complain(message), new ExitWith({ code: EXIT_FAILED }))
            )
          )
        if (!isAsked) {
          const living = nodes.filter(({ state }) => state !== "dead").map(({ name }) => name)
          return yield* new UsageError({
            message: `no node '${visible(node)}' is there; there are: ${living.join(", ")}`
          })
        }
        return yield* json
          ? printJson({ node, state: "draining" })
          : print(`node '${node}' takes nothing new, finishes its calls, and ends`)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Take a node out of the fleet: it takes no new sessions and servers, finishes its calls, hands its sessions over, and ends"
  ),
  Command.withShortDescription("Take a node out of the fleet")
)

export const fleet = Command.make(
  "fleet",
  { gateway: gatewayFlag },
  Effect.fnUntraced(function* ({ gateway }) {
    yield* withRunningGateway(
      gateway,
      Effect.fnUntraced(function* ({ nodes = Effect.succeed(null) }, operator) {
        yield* show(yield* fleetOf(operator), yield* nodes)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Show the nodes of the fleet that the running gateway belongs to: their state, version and load, and where each server lives"
  ),
  Command.withShortDescription("Show the nodes of the fleet"),
  Command.withSubcommands([drain])
)
