/**
 * `mcp-live serve`: the servers of an agent as one MCP server, over stdin and stdout or on a port of this machine. It ends
 * when its client closes stdin, or on a signal. Then it first interrupts requests under way, and then stops the servers.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Context from "effect/Context"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { setTimeout as delay } from "node:timers/promises"
import { callerAtTerminal } from "../../../schemas/call/Caller.ts"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import { SERVE_GREETED_MS, SERVE_PORT } from "../../../schemas/defaults/Serve.ts"
import { DEFAULT_CLIENTS } from "../../../schemas/login/ClientsConfig.ts"
import type { Root } from "../../../schemas/content/HostRequest.ts"
import { DEFAULT_SERVE, STRUCTURED_CONTENT, type ServeConfig } from "../../../schemas/listener/ServeConfig.ts"
import { LOOPBACK } from "../../../system/httpServer.ts"
import { hostAt } from "../../../system/ownHosts.ts"
import { LiveConfig } from "../../../services/config/LiveConfig.ts"
import { McpListener } from "../../../services/listener/McpListener.ts"
import { SessionDirectory } from "../../../services/listener/SessionDirectory.ts"
import { CallerTokens } from "../../../services/login/CallerTokens.ts"
import { SecretResolver } from "../../../services/secret/SecretResolver.ts"
import { Joined } from "../../../services/fleet/Joined.ts"
import { PageLogouts } from "../../../services/fleet/PageLogouts.ts"
import { ControlPage } from "../../../services/control/ControlPage.ts"
import type { BuildLive, Service } from "../../serve/serve.ts"
import { root, rootsOf, UsageError } from "../command.ts"
import { checkHttpAccess, httpAccessFlags, httpAccessOf, warnOfNetwork, type HttpAccessChoice } from "./httpFlags.ts"
import { makeLeaving, type Leaving } from "./leaving.ts"
import { redactorLayer } from "../masking.ts"
import { complain } from "../output.ts"
import { accountsOf, loginsOf, secretsOf, wantsCallers } from "./logins.ts"
import { httpFlag, listenerLayer, portFlag, portOf } from "./listening.ts"
import { tellPage, uiFlag, type UiChoice } from "../page/flag.ts"
import { whatFlags, whatOf, type What } from "./serveWhat.ts"
import { staying } from "../staying.ts"
import { terminalUser } from "../../../system/terminalUser.ts"

interface Choice {
  readonly what: What
  readonly agent: string | undefined
  readonly roots: ReadonlyArray<Root> | undefined
  readonly serve: Partial<ServeConfig>
  readonly page: UiChoice
}

/** The heavy part, loaded when a client connects. */
const build =
  (
    {
      page,
      what: {
        live: { source, ...options }
      }
    }: Choice,
    fleet = false
  ): BuildLive =>
  (host, agent, apart) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() =>
          Promise.all([import("../../../layers/McpLive/GatewayLive.ts"), import("../../../system/process/sweep.ts")])
        ),
        ([{ GatewayLive }, { beginSweep }]) =>
          // Removes servers that a killed process of mcp-live left behind.
          GatewayLive(
            {
              ...options,
              agent,
              apart,
              telemetry: true,
              fleet,
              replace: { host, redactor: redactorLayer, ...(source === undefined ? {} : { config: source }) }
            },
            { kind: "serve", partial: options.narrow !== undefined, page: Option.getOrUndefined(page) }
          ).pipe(Layer.provideMerge(Layer.effectDiscard(beginSweep)))
      )
    )

const prepare = Effect.fnUntraced(function* ({ what }: Choice) {
  const service = yield* Effect.promise(() => import("../../serve/serve.ts"))
  return { ...service, loaded: yield* what.load }
})

/** As soon as there is a gateway that has one. Fails as the gateway does. */
const tellPageOf = ({ page }: Choice, { live }: Service) =>
  Effect.flatMap(live, (context) =>
    Option.match(Context.getOption(context, ControlPage), {
      onNone: () => Effect.void,
      onSome: (found) => tellPage(page, found)
    })
  )

const overStdio = Effect.fnUntraced(function* (choice: Choice, { begin: leave }: Leaving) {
  if (process.stdin.isTTY) {
    yield* complain(
      "this is an MCP server: it waits for a client on stdin (see 'mcp-live serve --help'; Ctrl-C ends it)"
    )
  }
  const { loaded, makeService } = yield* prepare(choice)
  const service = yield* makeService({
    config: loaded,
    agents: [choice.agent ?? loaded.defaultAgent],
    oneClient: true,
    caller: callerAtTerminal(terminalUser()),
    only: choice.what.only,
    roots: choice.roots,
    serve: choice.serve,
    build: build(choice),
    greeted: Effect.promise(() => delay(SERVE_GREETED_MS))
  })
  const { stdio } = yield* McpListener
  const broken = Effect.andThen(tellPageOf(choice, service), Effect.never)
  yield* Effect.ensuring(Effect.raceFirst(stdio(service.serve), broken), leave)
})

const overHttp = Effect.fnUntraced(function* (
  choice: Choice,
  { begin: leave }: Leaving,
  port: number,
  door: HttpAccessChoice,
  tokenFile: string | undefined
) {
  const { loaded, makeService } = yield* prepare(choice)
  const [{ accessOf, knowTokens, shutOut }, { whichToken }] = yield* Effect.promise(() =>
    Promise.all([import("../../serve/tokens.ts"), import("../../clientAccess.ts")])
  )
  const configured = loaded.serve ?? DEFAULT_SERVE
  const { clients } = configured
  const { issuers, rules } = loaded.clients ?? DEFAULT_CLIENTS
  const hasLogins = issuers.length > 0
  // Before any server is started: without a token no client could connect.
  const { generatedAt, tokens } = yield* Effect.provide(
    Effect.flatMap(SecretResolver, (secrets) =>
      accessOf({ clients, hasLogins, tokenFile, dataDirectory: dataDirectory(), secrets })
    ),
    secretsOf(loaded)
  )
  const own = choice.agent ?? loaded.defaultAgent
  const needsOwn = (clients.length === 0 && !hasLogins) || tokenFile !== undefined || choice.agent !== undefined
  const named = [...clients, ...issuers].map(({ agent }) => agent ?? own)
  const byRules = rules.flatMap(({ agent }) => agent ?? [])
  const service = yield* makeService({
    config: loaded,
    agents: [...new Set([...(needsOwn ? [own] : []), ...named, ...byRules])],
    oneClient: false,
    only: choice.what.only,
    roots: choice.roots,
    serve: choice.serve,
    build: build(choice, true)
  })
  yield* service.begin
  const live = yield* service.live
  yield* knowTokens(Context.get(live, SecretResolver), tokens)
  // A node of a fleet.
  const directory = Context.get(live, SessionDirectory)
  const { http } = yield* McpListener
  const given = tokens.map(({ agent, ...token }) => ({ ...token, agent: agent ?? own }))
  const { address, ...names } = httpAccessOf(door, configured)
  const inConfig = clients.length === 0 ? undefined : 'the one that "serve.clients" of the configuration names for it'
  const which = whichToken({ address, ...names }, generatedAt ?? tokenFile, inConfig)
  const found = hasLogins ? yield* loginsOf(loaded, address ?? LOOPBACK, port) : undefined
  const { seen } = Context.get(live, CallerTokens)
  const logins = found && (wantsCallers(loaded) ? { ...found, seen } : found)
  const resource = logins?.resource ?? loaded.clients?.resource ?? `http://${hostAt(address ?? LOOPBACK)}:${port}/mcp`
  const accounts =
    port === 0 && logins === undefined
      ? undefined
      : yield* accountsOf(loaded, live, resource, logins?.verifier, directory.current?.nameOf, service.startAgain)
  if (accounts !== undefined) service.connectAt(accounts)
  const { makePeople, pagesOf } = yield* Effect.promise(() => import("../../serve/people.ts"))
  const { remembering, visitOf } = makePeople(service, accounts)
  const page =
    logins?.verifier.page === undefined ? undefined : Option.getOrUndefined(Context.getOption(live, ControlPage))
  const joined = Context.get(live, Joined)
  const shared = joined && { key: joined.pageKey, logouts: Context.get(joined.services, PageLogouts) }
  const people =
    page === undefined || logins === undefined
      ? undefined
      : yield* page.forPeople({ resource, verifier: logins.verifier, visitOf, ...shared })
  if (people !== undefined) service.askAt(people)
  const pages = pagesOf(new URL(resource).origin, accounts, people)
  const revoked = Option.match(Context.getOption(live, LiveConfig), {
    onNone: () => undefined,
    onSome: (config) => shutOut(clients, config)
  })
  const options = {
    pages,
    port,
    tokens: given,
    revoked,
    whichToken: which,
    named: true,
    address,
    logins,
    admits: service.admits,
    ...names
  }
  const served = remembering((client) => service.serve({ ...client, agent: client.agent ?? own }))
  const url = yield* http(served, options).pipe(Effect.provideService(SessionDirectory, directory))
  yield* warnOfNetwork(address)
  if (generatedAt !== undefined) yield* complain(`clients need the token in ${generatedAt}`)
  yield* complain(`serving MCP at ${url}`)
  if (people !== undefined) yield* complain(`people log in on the page at ${people.url}`)
  yield* tellPageOf(choice, service)
  const { drain, drained } = directory.current ?? { drain: Effect.void, drained: Effect.never }
  yield* Effect.ensuring(drained, Effect.andThen(drain, leave))
})

export const serve = Command.make(
  "serve",
  {
    ...whatFlags,
    http: httpFlag,
    port: portFlag(SERVE_PORT),
    ...httpAccessFlags,
    tokenFile: Flag.String("token-file").pipe(
      Flag.withMetavar("PATH"),
      Flag.withDescription("With --http: a file with the token that clients need"),
      Flag.optional
    ),
    structuredContent: Flag.ChoiceWithValue(
      "structured-content",
      STRUCTURED_CONTENT.map((one) => [one, one] as const)
    ).pipe(
      Flag.withDescription(
        "Of which servers structured content is passed on, without boundaries around it; without it, as configured"
      ),
      Flag.optional
    ),
    toolIndex: Flag.Boolean("tool-index").pipe(
      Flag.withDescription("Replace very many tools by a search, as for the agent"),
      Flag.withDefault(false)
    ),
    ui: uiFlag
  },
  Effect.fnUntraced(function* ({ http, isolate, port, structuredContent, tokenFile, toolIndex, ui, ...flags }) {
    const { agent, config, json, workspace } = yield* root
    if (json) return yield* new UsageError({ message: "serve: stdout is for the protocol: leave --json out" })
    if (!http && Option.isSome(tokenFile)) return yield* new UsageError({ message: "--token-file is for --http" })
    if (!http && Option.isSome(isolate)) return yield* new UsageError({ message: "--isolate is for --http" })
    const wanted = yield* portOf(http, port, SERVE_PORT)
    yield* checkHttpAccess(http, flags)
    const named: { readonly roots?: ReadonlyArray<Root> } = rootsOf(workspace)
    const choice: Choice = {
      what: yield* whatOf(flags, Option.getOrUndefined(config)),
      agent: Option.getOrUndefined(agent),
      roots: named.roots,
      serve: {
        ...Option.match(structuredContent, { onNone: () => ({}), onSome: (whose) => ({ structuredContent: whose }) }),
        ...Option.match(isolate, { onNone: () => ({}), onSome: (one) => ({ isolate: one }) }),
        ...(toolIndex ? { toolIndex } : {})
      },
      page: ui
    }
    const leaving = makeLeaving()
    yield* (
      http ? overHttp(choice, leaving, wanted, flags, Option.getOrUndefined(tokenFile)) : overStdio(choice, leaving)
    ).pipe(Effect.provide(listenerLayer), Effect.scoped, Effect.ensuring(leaving.done), staying("Warn"))
  })
).pipe(
  Command.withDescription(
    "Serve MCP clients: all servers of an agent as one MCP server, over stdin and stdout or HTTP. With -- COMMAND ARGS… or --url: a single server, without a configuration"
  ),
  Command.withShortDescription("Serve all servers of an agent as one MCP server"),
  Command.withExamples([
    { command: "mcp-live serve --config openclaw.json", description: "For a client that starts it" },
    { command: "mcp-live serve --config openclaw.json --http 7730", description: "For clients of this machine" },
    {
      command: "mcp-live serve --http 7730 -- npx -y some-server",
      description: "A server without a configuration; its command follows --"
    },
    {
      command: "mcp-live serve --url https://mcp.example/mcp",
      description: "A remote server, for a client that starts it"
    }
  ])
)
