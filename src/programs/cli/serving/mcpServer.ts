/**
 * `mcp-live mcp-server`: the agent as an MCP server, over stdin and stdout, or over HTTP for clients of this machine. It ends
 * when its client closes stdin, or on a signal. Then it first cancels its work, and stops its servers, or kills them before a
 * client would kill us.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { resolve } from "node:path"
import { callerAtTerminal } from "../../../schemas/call/Caller.ts"
import { ORDER_HTTP_CLIENTS_MAX, ORDER_PORT } from "../../../schemas/defaults/Orders.ts"
import { ordersDirectory } from "../../../schemas/config/DataDirectory.ts"
import { MCP_CLIENTS, type McpClientName } from "../../../schemas/config/McpClients.ts"
import { DEFAULT_CLIENTS } from "../../../schemas/login/ClientsConfig.ts"
import { RequestRefused } from "../../../schemas/listener/ListenerError.ts"
import { DEPTH_VARIABLE, depthOf } from "../../../schemas/agent/OrderChain.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { McpListener } from "../../../services/listener/McpListener.ts"
import type { Choice } from "../../mcpServer/agentLayer.ts"
import type { Behind } from "../../mcpServer/place.ts"
import { backendFlags, saidBy } from "../backendFlags.ts"
import { EXIT_USAGE, ExitWith, root, rootsOf, UsageError } from "../command.ts"
import { checkOrigins, checkResource, originFlag, resourceFlag } from "./httpFlags.ts"
import { makeLeaving, type Leaving } from "./leaving.ts"
import { loginsOf } from "./logins.ts"
import { complain, print } from "../output.ts"
import { httpFlag, listenerLayer, portFlag, portOf } from "./listening.ts"
import { staying } from "../staying.ts"
import { LOOPBACK } from "../../../system/httpServer.ts"
import { terminalUser } from "../../../system/terminalUser.ts"

/** The user who started us, with whatever program. */
const LOCAL_USER = "local user"
const INTERNAL_ERROR = -32603

const FOR_CLIENTS =
  "this is an MCP server: it waits for a client on stdin (Ctrl-C ends it). 'mcp-live mcp-server --install …' tells a client of it; to talk to an agent here: mcp-live start"

type Chosen = Omit<Choice, "clients" | "caller"> & { readonly verbose: boolean }

/** Starts loading at once, and the first agent request waits for it: clients are greeted before anything is loaded. */
const begin = Effect.fnUntraced(function* (choice: Choice) {
  const ready = yield* Deferred.make<Behind, RequestRefused>()
  const made = Effect.gen(function* () {
    const [{ makeBehind }, { beginSweep }] = yield* Effect.promise(() =>
      Promise.all([import("../../mcpServer/agentLayer.ts"), import("../../../system/process/sweep.ts")])
    )
    yield* beginSweep
    return yield* makeBehind(choice)
  }).pipe(
    Effect.tapError(({ message }) => complain(message)),
    Effect.mapError(({ message }) => new RequestRefused({ code: INTERNAL_ERROR, message })),
    Effect.exit,
    Effect.flatMap((exit) => Deferred.done(ready, exit))
  )
  yield* Effect.forkScoped(made)
  return { behind: Deferred.await(ready) }
})

/** The issuers of clients have to be known before the port is opened. */
const loadedFor = Effect.fnUntraced(function* (config: string | undefined) {
  const { layer, layerOptional } = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  return yield* ConfigSource.use(({ load }) => load).pipe(
    Effect.provide(config === undefined ? layerOptional() : layer({ path: config }))
  )
})

const overStdio = Effect.fnUntraced(function* ({ verbose, ...choice }: Chosen, { begin: leave }: Leaving) {
  if (process.stdin.isTTY) yield* complain(FOR_CLIENTS)
  const [{ serveOrders }, { ORDERS }] = yield* Effect.promise(() =>
    Promise.all([import("../../mcpServer/offer.ts"), import("../../mcpServer/intake.ts")])
  )
  const listener = yield* McpListener
  const serve = serveOrders({
    ...(yield* begin({ ...choice, clients: 1, caller: callerAtTerminal(terminalUser()) })),
    principal: LOCAL_USER,
    verbose
  })
  yield* Effect.ensuring(listener.stdio(serve, ORDERS), leave)
})

const overHttp = Effect.fnUntraced(function* (
  { verbose, ...choice }: Chosen,
  { begin: leave }: Leaving,
  port: number,
  origins: ReadonlyArray<string>,
  { clients, resource }: { readonly clients: string | undefined; readonly resource: string | undefined }
) {
  const [{ serveOrders }, { accessOf }, { ORDERS }, { whichToken }, { makeClientRules }] = yield* Effect.promise(() =>
    Promise.all([
      import("../../mcpServer/offer.ts"),
      import("../../mcpServer/access.ts"),
      import("../../mcpServer/intake.ts"),
      import("../../clientAccess.ts"),
      import("../../clientRules.ts")
    ])
  )
  const listener = yield* McpListener
  const loaded = yield* loadedFor(choice.config)
  const hasLogins = (loaded.clients ?? DEFAULT_CLIENTS).issuers.length > 0
  const { generatedAt, tokens } = yield* accessOf(clients, hasLogins, ordersDirectory())
  const logins = hasLogins ? yield* loginsOf(loaded, LOOPBACK, port, resource) : undefined
  const begun = yield* begin({ ...choice, clients: hasLogins ? ORDER_HTTP_CLIENTS_MAX : tokens.length })
  // The configuration that runs is followed as soon as there is one.
  let configNow = () => loaded
  yield* begun.behind.pipe(
    Effect.tap(({ config }) => Effect.sync(() => (configNow = config))),
    Effect.ignore,
    Effect.forkScoped
  )
  const { admits, callerOf } = makeClientRules(() => configNow())
  const which = whichToken({}, generatedAt ?? clients, undefined)
  const address = yield* listener.http(serveOrders({ ...begun, callerOf, verbose }), {
    port,
    tokens,
    whichToken: which,
    logins,
    admits,
    origins,
    intake: ORDERS
  })
  yield* complain(`listening at ${address}`)
  if (generatedAt !== undefined) yield* complain(`the token for clients is in ${generatedAt}`)
  // The person who started a port looks here, not at the answer to an agent request.
  const begins = begun.behind.pipe(Effect.catchTag("RequestRefused", () => new ExitWith({ code: EXIT_USAGE })))
  return yield* Effect.ensuring(Effect.andThen(begins, Effect.never), leave)
})

type Given = Readonly<
  Record<"backend" | "gateway" | "tokenFile" | "config" | "agent" | "workspace", Option.Option<string>>
>

/** The same command line, for a client that starts it from another directory. */
const flagsOf = ({ agent, backend, config, gateway, tokenFile, workspace }: Given, verbose: boolean) => {
  const plain = { "--backend": backend, "--gateway": gateway, "--agent": agent }
  const paths = { "--token-file": tokenFile, "--config": config, "--workspace": workspace }
  const pairs = [
    ...Object.entries(plain),
    ...Object.entries(paths).map(([flag, path]) => [flag, Option.map(path, (one) => resolve(one))] as const)
  ]
  const given = pairs.flatMap(([flag, value]) => (Option.isSome(value) ? [flag, value.value] : []))
  return verbose ? [...given, "--verbose"] : given
}

const tellClient = Effect.fnUntraced(function* (client: McpClientName, flags: ReadonlyArray<string>, only: boolean) {
  const { install, launchWith, shownFor } = yield* Effect.promise(() => import("../../mcpServer/install.ts"))
  const launch = yield* Effect.fromResult(launchWith(flags))
  if (only) return yield* print(shownFor(client, launch))
  const { backup, outcome, path } = yield* install(client, launch)
  if (outcome === "already there") return yield* print(`${path} has this server already`)
  yield* print(`${path} has this server now${backup === undefined ? "" : `; backup: ${backup}`}`)
  return yield* print("Restart the client to use it.")
})

export const mcpServer = Command.make(
  "mcp-server",
  {
    verbose: Flag.Boolean("verbose").pipe(
      Flag.withAlias("v"),
      Flag.withDescription(
        "Report the phases of each agent request on stderr: times, names and sizes, never its content"
      ),
      Flag.withDefault(false)
    ),
    ...backendFlags,
    http: httpFlag,
    clients: Flag.String("clients").pipe(
      Flag.withMetavar("PATH"),
      Flag.withDescription(
        "With --http: a file with a line NAME TOKEN for each client; without it, one token is generated"
      ),
      Flag.optional
    ),
    port: portFlag(ORDER_PORT),
    allowOrigin: originFlag,
    resource: resourceFlag,
    install: Flag.ChoiceWithValue(
      "install",
      MCP_CLIENTS.map((one) => [one, one] as const)
    ).pipe(
      Flag.withDescription("Instead of serving: add this server, with these flags, to the settings of a client"),
      Flag.optional
    ),
    print: Flag.Boolean("print").pipe(
      Flag.withDescription("With --install: only show what would be written, and where"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (flags) {
    const {
      allowOrigin,
      backend,
      clients,
      gateway,
      http,
      install,
      port,
      print: only,
      resource,
      tokenFile,
      verbose
    } = flags
    const { agent, config, json, workspace } = yield* root
    if (json) return yield* new UsageError({ message: "mcp-server: stdout is for the protocol: leave --json out" })
    if (only && Option.isNone(install)) return yield* new UsageError({ message: "--print is for --install" })
    if (Option.isSome(install)) {
      if (http || [clients, port, resource].some((flag) => Option.isSome<unknown>(flag)) || allowOrigin.length > 0) {
        const message = "--install is for stdio: leave out --http, --port, --allow-origin, --resource and --clients"
        return yield* new UsageError({ message })
      }
      const given = flagsOf({ backend, gateway, tokenFile, config, agent, workspace }, verbose)
      return yield* tellClient(install.value, given, only)
    }
    const number = yield* portOf(http, port, ORDER_PORT)
    yield* checkOrigins(http, allowOrigin)
    if (!http && Option.isSome(clients)) return yield* new UsageError({ message: "--clients is for --http" })
    yield* checkResource(http, resource)
    const depth = depthOf(process.env)
    const choice: Chosen = {
      depth,
      verbose,
      config: Option.getOrUndefined(config),
      agent: Option.getOrUndefined(agent),
      roots: rootsOf(workspace),
      said: saidBy({ backend, gateway, tokenFile })
    }
    // For programs that are started below us.
    process.env[DEPTH_VARIABLE] = `${depth + 1}`
    const leaving = makeLeaving()
    yield* (
      http
        ? overHttp(choice, leaving, number, allowOrigin, {
            clients: Option.getOrUndefined(clients),
            resource: Option.getOrUndefined(resource)
          })
        : overStdio(choice, leaving)
    ).pipe(
      Effect.scoped,
      Effect.provide(listenerLayer),
      Effect.ensuring(leaving.done),
      staying(verbose ? "Info" : "Warn")
    )
  })
).pipe(
  Command.withDescription(
    "Let MCP clients send requests to the agent with the tool order_openclaw, over stdin and stdout or HTTP"
  ),
  Command.withShortDescription("Let MCP clients send requests to the agent with order_openclaw")
)
