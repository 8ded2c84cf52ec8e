/**
 * `mcp-live acp`: an ACP agent over stdin and stdout, for editors. It ends when the client closes stdin, or on a signal;
 * then what its sessions run is cancelled first, their servers are stopped, and then the gateway's own.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { BACKENDS, type Said } from "../../schemas/GatewayChoice.ts"
import type { MakeSessions } from "../acp/serve.ts"
import type { SessionHosts } from "../acp/services.ts"
import { root, rootsOf, withLogLevel } from "./command.ts"
import { untilStopped } from "./signals.ts"

interface Choice {
  readonly config: string | undefined
  readonly agent: string | undefined
  readonly roots: ReturnType<typeof rootsOf>
  /** Which agent answers. */
  readonly said: Said
  /** What the servers of sessions may ask. */
  readonly hosts: SessionHosts
}

/**
 * Everything behind the sessions. An editor may bring all servers itself, so a configuration is not needed; one that is
 * named, or found, and cannot be used is an error that each session is told.
 */
const live = async ({ agent, config, hosts, roots, said }: Choice) => {
  const [{ McpLive }, ConfigSource, { layerBackend, localAgent }, sessionTools] = await Promise.all([
    import("../../layers/McpLive.ts"),
    import("../../layers/ConfigSource.ts"),
    import("../acp/backend.ts"),
    import("../../layers/SessionTools.ts")
  ])
  const host = { ...roots, forSession: (session: string) => hosts.get(session) }
  const optional = config === undefined ? ConfigSource.layerOptional() : undefined
  const replace = optional === undefined ? {} : { config: optional }
  const runtimes = Layer.unwrap(
    Effect.map(localAgent(said, agent), (local) => McpLive({ config, agent: local, host, replace }))
  ).pipe(Layer.provide(optional ?? ConfigSource.layer({ path: config })))
  return layerBackend(said, agent).pipe(Layer.provideMerge(sessionTools.layer), Layer.provideMerge(runtimes))
}

/** The runtime is older than the sessions, and so ends after them. */
const makeSessions =
  (choice: Choice): MakeSessions =>
  (door) =>
    Effect.gen(function* () {
      const [layer, { failed }, { sessionsFor }, { beginSweep }] = yield* Effect.promise(() =>
        Promise.all([
          live(choice),
          import("../acp/failure.ts"),
          import("../acp/agent.ts"),
          import("../../layers/ServerConnector/process/sweep.ts")
        ])
      )
      // A killed agent leaves its editor's servers, and the next one may never start any.
      yield* beginSweep
      const context = yield* Layer.build(layer).pipe(
        // The client is told at each session; who looks after the program reads its log.
        Effect.tapError(({ message }) => Effect.logError(message)),
        Effect.mapError(({ message }) => failed(message))
      )
      // Sessions end together: stopping servers may take seconds, and the client may not wait.
      const sessions = yield* Scope.fork(yield* Effect.scope, "parallel")
      return yield* sessionsFor(door, { hosts: choice.hosts, pinned: choice.agent !== undefined }).pipe(
        Effect.provide(context),
        Scope.provide(sessions)
      )
    })

export const acp = Command.make(
  "acp",
  {
    backend: Flag.ChoiceWithValue(
      "backend",
      BACKENDS.map((one) => [one, one] as const)
    ).pipe(
      Flag.withDescription(
        "Which agent answers; without it openclaw where a gateway is configured, else the built-in one"
      ),
      Flag.optional
    ),
    gateway: Flag.String("gateway").pipe(
      Flag.withMetavar("URL"),
      Flag.withDescription("The OpenClaw gateway whose agent answers: ws://… on this machine, wss://… elsewhere"),
      Flag.optional
    ),
    tokenFile: Flag.String("token-file").pipe(
      Flag.withMetavar("PATH"),
      Flag.withDescription("A file with the gateway's token"),
      Flag.optional
    ),
    unstable: Flag.Boolean("unstable").pipe(
      Flag.withDescription('Also take what is no part of the protocol yet: MCP servers of type "acp"'),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ backend, gateway, tokenFile, unstable }) {
    const { agent, config, workspace } = yield* root
    const choice = {
      config: Option.getOrUndefined(config),
      agent: Option.getOrUndefined(agent),
      roots: rootsOf(workspace),
      said: {
        backend: Option.getOrUndefined(backend),
        gateway: Option.getOrUndefined(gateway),
        tokenFile: Option.getOrUndefined(tokenFile)
      },
      hosts: new Map()
    }
    const [{ serve }, { stdioStream }, tunnel] = yield* Effect.promise(() =>
      Promise.all([
        import("../acp/serve.ts"),
        import("../acp/stdio.ts"),
        unstable ? import("../acp/tunnel.ts").then(({ makeTunnel }) => makeTunnel()) : undefined
      ])
    )
    yield* Effect.suspend(() => serve(stdioStream(), makeSessions(choice), tunnel)).pipe(
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
