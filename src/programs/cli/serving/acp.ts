/**
 * `mcp-live acp`: an ACP agent over stdin and stdout, for editors. It ends when the client closes stdin, or on a signal. Then
 * it first cancels what its sessions do and stops their servers, and last the servers of the agent.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { callerAtTerminal } from "../../../schemas/call/Caller.ts"
import type { Said } from "../../../schemas/agent/GatewayChoice.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import type { MakeSessions } from "../../acp/connection.ts"
import type { SessionHosts } from "../../acp/services.ts"
import { backendFlags, saidBy } from "../backendFlags.ts"
import { root, rootsOf, UsageError } from "../command.ts"
import { redactorLayer } from "../masking.ts"
import { complain } from "../output.ts"
import { staying } from "../staying.ts"
import { terminalUser } from "../../../system/terminalUser.ts"

interface Choice {
  readonly config: string | undefined
  readonly agent: string | undefined
  readonly roots: ReturnType<typeof rootsOf>
  /** The agent that answers. */
  readonly said: Said
  /** What the servers of sessions may ask for. */
  readonly hosts: SessionHosts
}

const FOR_EDITORS = `this is an agent for editors: it speaks the Agent Client Protocol on stdin and stdout, and is now waiting for an editor (Ctrl-D ends it)
an editor starts it by itself: "command": "mcp-live", "args": ["acp"] in its settings (docs/acp.md); to talk to an agent here: mcp-live start`

/** An editor may bring all servers, so the configuration is optional. */
const optionalConfig = async (config: string | undefined) => {
  const { layer, layerOptional } = await import("../../../layers/config/ConfigSource.ts")
  return config === undefined ? layerOptional() : layer({ path: config })
}

/** For a person who starts it by hand: says what it is, and reports what an editor would only learn with its first message. */
const explain = Effect.fnUntraced(function* (config: string | undefined) {
  yield* complain(FOR_EDITORS)
  const source = yield* Effect.promise(() => optionalConfig(config))
  yield* ConfigSource.use(({ load }) => load).pipe(
    Effect.provide(source),
    Effect.catch(({ message }) => complain(message))
  )
})

/** Everything that sessions need. An invalid configuration is an error that each session reports. */
const live = async ({ agent, config, hosts, roots, said }: Choice) => {
  const [{ GatewayLive }, source, { layerBackend, localAgent }, sessionTools] = await Promise.all([
    import("../../../layers/McpLive/GatewayLive.ts"),
    optionalConfig(config),
    import("../../acp/backend.ts"),
    import("../../../layers/agent/SessionTools.ts")
  ])
  const host = { ...roots, forSession: (session: string) => hosts.get(session) }
  const caller = callerAtTerminal(terminalUser())
  const replace = { redactor: redactorLayer, ...(config === undefined ? { config: source } : {}) }
  const runtimes = Layer.unwrap(
    Effect.map(localAgent(said, agent), (local) =>
      GatewayLive({ config, agent: local, caller, host, replace, telemetry: true }, { kind: "acp" })
    )
  ).pipe(Layer.provide(source))
  return layerBackend(said, agent).pipe(Layer.provideMerge(sessionTools.layer), Layer.provideMerge(runtimes))
}

/** The runtime is made before the sessions, and so ends after them. */
const makeSessions =
  (choice: Choice): MakeSessions =>
  (door) =>
    Effect.gen(function* () {
      const [layer, { failed }, { sessionsFor }, { beginSweep }] = yield* Effect.promise(() =>
        Promise.all([
          live(choice),
          import("../../acp/failure.ts"),
          import("../../acp/agent.ts"),
          import("../../../system/process/sweep.ts")
        ])
      )
      // A killed agent leaves the servers of its editor behind, and the next one may never start any.
      yield* beginSweep
      const context = yield* Layer.build(layer).pipe(
        // Also on stderr, where editors keep the log of their agents: a session may never be opened.
        Effect.tapError(({ message }) => complain(message)),
        Effect.mapError(({ message }) => failed(message))
      )
      // Sessions close in parallel: stopping servers may take seconds, and the client may not wait.
      const sessions = yield* Scope.fork(yield* Effect.scope, "parallel")
      return yield* sessionsFor(door, { hosts: choice.hosts, pinned: choice.agent !== undefined }).pipe(
        Effect.provide(context),
        Scope.provide(sessions)
      )
    })

export const acp = Command.make(
  "acp",
  {
    ...backendFlags,
    unstable: Flag.Boolean("unstable").pipe(
      Flag.withDescription('Also accept what is not yet part of the protocol: MCP servers of type "acp"'),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ backend, gateway, tokenFile, unstable }) {
    const { agent, config, json, workspace } = yield* root
    if (json) {
      return yield* new UsageError({
        message: "acp: stdout is for the protocol: leave --json out"
      })
    }
    const choice = {
      config: Option.getOrUndefined(config),
      agent: Option.getOrUndefined(agent),
      roots: rootsOf(workspace),
      said: saidBy({ backend, gateway, tokenFile }),
      hosts: new Map()
    }
    const [{ serve }, { stdioStream }, tunnel] = yield* Effect.promise(() =>
      Promise.all([
        import("../../acp/connection.ts"),
        import("../../acp/stdio.ts"),
        unstable ? import("../../acp/tunnel.ts").then(({ makeTunnel }) => makeTunnel()) : undefined
      ])
    )
    if (process.stdin.isTTY) yield* explain(choice.config)
    yield* Effect.suspend(() => serve(stdioStream(), makeSessions(choice), tunnel)).pipe(Effect.scoped, staying("Warn"))
  })
).pipe(
  Command.withDescription("Serve an editor: an ACP agent over stdin and stdout, with the MCP servers that it brings"),
  Command.withShortDescription("Serve an editor: an ACP agent, with the servers that it brings")
)
