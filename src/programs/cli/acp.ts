/**
 * `mcp-live acp`: an ACP agent over stdin and stdout, for editors. It ends when the client closes stdin, or on a signal;
 * then what its sessions run is cancelled first, their servers are stopped, and then the gateway's own.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Command from "effect/cli/Command"
import type { MakeSessions } from "../acp/serve.ts"
import { root, rootsOf, withLogLevel } from "./command.ts"
import { untilStopped } from "./signals.ts"

interface Choice {
  readonly config: string | undefined
  readonly agent: string | undefined
  readonly roots: ReturnType<typeof rootsOf>
}

/**
 * Everything behind the sessions. An editor may bring all servers itself, so a configuration is not needed; one that is
 * named, or found, and cannot be used is an error that each session is told.
 */
const live = async ({ agent, config, roots }: Choice) => {
  const [{ McpLive }, ConfigSource, gateway, sessionTools] = await Promise.all([
    import("../../layers/McpLive.ts"),
    import("../../layers/ConfigSource.ts"),
    import("../../layers/AgentGateway.ts"),
    import("../../layers/SessionTools.ts")
  ])
  const replace = config === undefined ? { config: ConfigSource.layerOptional() } : {}
  return gateway
    .layerEmbeddedKept()
    .pipe(Layer.provideMerge(sessionTools.layer), Layer.provideMerge(McpLive({ config, agent, host: roots, replace })))
}

/** The runtime is older than the sessions, and so ends after them. */
const makeSessions =
  (choice: Choice): MakeSessions =>
  (door) =>
    Effect.gen(function* () {
      const [layer, { failed }, { sessionsFor }] = yield* Effect.promise(() =>
        Promise.all([live(choice), import("../acp/failure.ts"), import("../acp/agent.ts")])
      )
      const context = yield* Effect.mapError(Layer.build(layer), ({ message }) => failed(message))
      // Sessions end together: stopping servers may take seconds, and the client may not wait.
      const sessions = yield* Scope.fork(yield* Effect.scope, "parallel")
      return yield* sessionsFor(door).pipe(Effect.provide(context), Scope.provide(sessions))
    })

export const acp = Command.make(
  "acp",
  {},
  Effect.fnUntraced(function* () {
    const { agent, config, workspace } = yield* root
    const choice = {
      config: Option.getOrUndefined(config),
      agent: Option.getOrUndefined(agent),
      roots: rootsOf(workspace)
    }
    const [{ serve }, { stdioStream }] = yield* Effect.promise(() =>
      Promise.all([import("../acp/serve.ts"), import("../acp/stdio.ts")])
    )
    yield* Effect.suspend(() => serve(stdioStream(), makeSessions(choice))).pipe(
      Effect.scoped,
      untilStopped,
      // A signal is how some clients say that they are done.
      Effect.catchTag("Stopped", (stopped) => (stopped.reason === "crash" ? Effect.fail(stopped) : Effect.void)),
      withLogLevel("Warn")
    )
  })
).pipe(
  Command.withDescription("Serve an editor: an ACP agent over stdin and stdout, with the MCP servers that it brings")
)
