/** Runs a command with the running gateway of its configuration, or, without one, with servers of its own. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { root, withLogLevel, withRuntime, type HostCallbacks } from "../command.ts"
import { untilStopped } from "../signals.ts"
import { foundGateway, runningGateway, sharingGateway, type RunningFlags } from "./choice.ts"
import type { Asks, CommandRuntime, Operator } from "./client.ts"
import type { Found } from "../../../system/gatewayFiles.ts"

export class NoGateway extends Data.TaggedError("NoGateway") {
  override get message() {
    return "no gateway of this configuration is running; 'mcp-live start' or 'mcp-live serve' starts one"
  }
}

type Use<A, E, R> = (runtime: CommandRuntime, operator: Operator) => Effect.Effect<A, E, R>

const configured = Effect.gen(function* () {
  const { config } = yield* root
  const { layer } = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  return layer({ path: Option.getOrUndefined(config) })
})

interface About extends Asks {
  readonly agent?: string | undefined
}

const agentOf = Effect.map(root, ({ agent }) => Option.getOrUndefined(agent))

const using = Effect.fnUntraced(function* <A, E, R>(gateway: Found, use: Use<A, E, R>, about: About) {
  const { connect } = yield* Effect.promise(() => import("./client.ts"))
  const { lost, operator, runtime } = yield* connect(gateway, about.agent, about)
  return yield* Effect.raceFirst(use(runtime, operator), lost)
}, Effect.scoped)

const withFound = Effect.fnUntraced(function* <A, E, R>(gateway: Found, use: Use<A, E, R>, about: About) {
  return yield* using(gateway, use, about).pipe(Effect.provide(yield* configured), untilStopped, withLogLevel("Error"))
})

/** `use` finds the configuration either way. */
export const withGateway = Effect.fnUntraced(function* <A, E, R>(
  flags: RunningFlags,
  use: (runtime: CommandRuntime) => Effect.Effect<A, E, R>,
  doors: HostCallbacks = {}
) {
  const gateway = yield* runningGateway(flags)
  if (gateway === undefined) return yield* withRuntime(use, doors)
  return yield* withFound(gateway, (runtime) => use(runtime), {
    agent: doors.agent ?? (yield* agentOf),
    approve: doors.approve
  })
})

/** For commands that are about a running gateway. */
export const withRunningGateway = Effect.fnUntraced(function* <A, E, R>(
  gateway: Option.Option<number>,
  use: Use<A, E, R>
) {
  const found = yield* foundGateway(Option.getOrUndefined(gateway))
  if (found === undefined) return yield* new NoGateway()
  return yield* withFound(found, use, { agent: yield* agentOf })
})

/** For commands about what gateways share: with the one that runs, or `alone`. */
export const withOperator = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  flags: RunningFlags,
  use: (operator: Operator) => Effect.Effect<A, E, R>,
  alone: Effect.Effect<A, E2, R2>
) {
  const found = yield* sharingGateway(flags)
  return yield* found === undefined ? alone : withFound(found, (_, operator) => use(operator), {})
})
