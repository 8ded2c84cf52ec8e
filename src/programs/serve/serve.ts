/**
 * The servers of agents as one MCP server. Clients are greeted before anything is ready: the runtime is built in the
 * meantime, and only requests that need it wait.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { callerOf, callerWith, type Caller } from "../../schemas/call/Caller.ts"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import type { AgentConfig, GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import type { Root } from "../../schemas/content/HostRequest.ts"
import { memoOf } from "../../schemas/data/Memo.ts"
import { heldByAgent, heldByClient, isolationOf } from "../../schemas/connection/Isolation.ts"
import { SERVE_OWN_SESSION_IDLE_MS } from "../../schemas/defaults/Serve.ts"
import { RequestRefused } from "../../schemas/listener/ListenerError.ts"
import { DEFAULT_SERVE, type ServeConfig } from "../../schemas/listener/ServeConfig.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { UnknownAgent } from "../../schemas/call/UnknownAgent.ts"
import { AuditLog } from "../../services/call/AuditLog.ts"
import { AgentRuntimes } from "../../services/call/AgentRuntimes.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { HostFeatures } from "../../services/content/HostFeatures.ts"
import type { AccountLogins } from "../../services/login/AccountLogins.ts"
import type { HttpOptions, McpClient, Serve } from "../../services/listener/McpListener.ts"
import { SessionDirectory } from "../../services/listener/SessionDirectory.ts"
import type { WholeRuntime } from "../../services/call/McpRuntime.ts"
import { ResultStore } from "../../services/call/ResultStore.ts"
import type { McpServices } from "../../layers/McpLive.ts"
import { following } from "../../system/rounds.ts"
import type { layerHost } from "./clientHost.ts"
import { makeClientRules } from "../clientRules.ts"
import { makeHandlesOf, type SharedHandles } from "./handles.ts"
import { makeOffer, type AgentParts } from "./offer.ts"
import { onlyServer } from "./only.ts"
import { makeOwn, type Own } from "./own.ts"
import { makeUnderway } from "./questionRouting.ts"
import { asksInAnswers, startAgain } from "./reached.ts"

/**
 * Builds the runtime, together with the layer that answers requests of servers. Servers that are `apart` are not started for
 * the agents: each client gets its own.
 */
export type BuildLive = (
  host: ReturnType<typeof layerHost>,
  agent: string,
  apart: (server: ServerConfig) => boolean
) => Layer.Layer<McpServices, ConfigError | UnknownAgent>

export interface ServiceOptions {
  readonly config: GatewayConfig
  /** The agents that clients may have; the first one is for clients without an agent of their own. */
  readonly agents: ReadonlyArray<string>
  /** There is only one client, and its roots become the roots of the servers. */
  readonly oneClient: boolean
  /** Whose requests those of the one client are. */
  readonly caller?: Caller | undefined
  /** The one server for clients whose path names none. */
  readonly only?: string | undefined
  /** Replaces the client's roots. */
  readonly roots?: ReadonlyArray<Root> | undefined
  /** Overrides the configuration. */
  readonly serve?: Partial<ServeConfig> | undefined
  readonly build: BuildLive
  /** Waited for before anything is built: loading the code would delay the first answer. */
  readonly greeted?: Effect.Effect<void> | undefined
}

export interface Service {
  readonly serve: Serve
  /** From now on persons connect their accounts at these pages. */
  readonly connectAt: (pages: AccountLogins["Service"]) => void
  /** From now on people are asked on this page, where they can log in by these issuers. */
  readonly askAt: (page: { readonly url: string; readonly issuers: ReadonlyArray<string> }) => void
  /** Whom the rules of clients let in over HTTP, and with which agent. */
  readonly admits: NonNullable<HttpOptions["admits"]>
  /** The servers that the rules show a client, each as it is theirs; none if they let nobody in. */
  readonly serversOf: (client: Parameters<NonNullable<HttpOptions["admits"]>>[0]) => ReadonlyArray<ServerConfig>
  /** Tries a server at once that waits, or was given up: for whoever has it, now that their account is connected. */
  readonly startAgain: (server: ServerConfig) => Effect.Effect<void>
  /** Begins to build before there is a client; otherwise the first one starts it. */
  readonly begin: Effect.Effect<void>
  /** The runtime, once it is built. Fails when that is impossible. */
  readonly live: Effect.Effect<Context.Context<McpServices>, ConfigError | UnknownAgent>
}

interface WholeParts extends AgentParts {
  readonly runtime: Effect.Effect<WholeRuntime>
}

interface Live {
  readonly context: Context.Context<McpServices>
  /** Of agents that are served. */
  readonly runtimes: Map<string, WholeRuntime>
}

/** The one client on stdin. */
const NOBODY = callerOf(undefined)
const REFUSED = -32600
/** Does not reveal whether other clients have a server of that name. */
const NOTHING_THERE = { code: REFUSED, message: "there is no MCP server of that name for this client" }

const known = (config: GatewayConfig, agents: ReadonlyArray<string>) =>
  Effect.forEach(agents, (id) => {
    const found = config.agents.find((agent) => agent.id === id)
    return found === undefined
      ? Effect.fail(new UnknownAgent({ agent: id, known: config.agents.map((agent) => agent.id) }))
      : Effect.succeed(found)
  })

/** As the agent has its servers; the same object for the same configuration. */
const held = memoOf((agent: AgentConfig): AgentConfig => ({
  ...agent,
  servers: agent.servers.map((server) => heldByAgent(agent.id, server))
}))

/** Lists all tools of the single server: a search over other tools would be of no use. */
const onlyParts = (parts: AgentParts, name: string): AgentParts => {
  const { agent, runtime, serve } = parts
  const alone = memoOf((whole: AgentConfig) => ({ ...whole, servers: ofName(whole) }))
  const ofName = ({ servers }: AgentConfig) => servers.filter((server) => server.name === name)
  const own = ofName(agent())
  const others = agent().servers.filter((server) => server.name !== name)
  return {
    ...parts,
    agent: () => alone(agent()),
    serve: { ...serve, toolIndex: false },
    runtime: Effect.map(runtime, (whole) => onlyServer(whole, own[0]!, others))
  }
}

/** Ends with its Scope: clients first, then the servers behind them. */
export const makeService = Effect.fnUntraced(function* (
  options: ServiceOptions
): Effect.fn.Return<Service, UnknownAgent, Scope.Scope> {
  const { build, config, greeted = Effect.void, oneClient, roots } = options
  const agents = (yield* known(config, options.agents)).map(held)
  const serve = { ...DEFAULT_SERVE, ...config.serve, ...options.serve }
  const done = yield* Deferred.make<Live, ConfigError | UnknownAgent>()
  // If it cannot be built, the program ends and waiting clients need no answer.
  const live = Effect.orDie(Deferred.await(done))
  let configNow = () => config
  /** An agent that is gone has no runtime any more; whoever has it sees it as it was. */
  const agentNow = (first: AgentConfig) => () => {
    const found = configNow().agents.find(({ id }) => id === first.id)
    return found === undefined ? first : held(found)
  }
  const part = <A>(pick: (live: Live) => A): Effect.Effect<A> => Effect.map(live, pick)
  const rules = makeClientRules(() => configNow())

  /** A client on stdin has everything to itself. */
  const apart = (server: ServerConfig): boolean => !oneClient && isolationOf(server, serve.isolate) !== undefined
  const reached = new Set<Own>(
    agents.map((agent) => ({ agent: agentNow(agent), runtime: part(({ runtimes }) => runtimes.get(agent.id)!) }))
  )
  const underway = makeUnderway({
    oneClient,
    asksInAnswers: asksInAnswers(reached)
  })
  // The client's roots arrive later; servers are notified then.
  const host = yield* Effect.map(
    Effect.promise(() => import("./clientHost.ts")),
    ({ layerHost }) => layerHost({ ...underway, roots: roots ?? (oneClient ? [] : undefined) })
  )

  const servers = yield* Scope.fork(yield* Effect.scope)
  const construct = Effect.gen(function* () {
    yield* greeted
    const context = yield* Layer.build(build(host, agents[0]!.id, apart))
    const live = Context.getOption(context, LiveConfig)
    if (Option.isSome(live)) configNow = live.value.current
    const get = Context.get(context, AgentRuntimes).get
    const runtimes = yield* Effect.forEach(agents, ({ id }) => Effect.map(get(id), (runtime) => [id, runtime] as const))
    return { context, runtimes: new Map(runtimes) }
  })
  const begin = yield* Effect.cached(
    construct.pipe(Scope.provide(servers), (built) => Deferred.into(built, done), Effect.forkIn(servers), Effect.asVoid)
  )

  const runtimeOf = (id: string): Effect.Effect<WholeRuntime> =>
    Effect.flatMap(live, ({ context, runtimes }) => {
      const known = runtimes.get(id)
      if (known !== undefined) return Effect.succeed(known)
      const made = Scope.provide(Context.get(context, AgentRuntimes).get(id), servers)
      return Effect.tap(Effect.orDie(made), (runtime) => Effect.sync(() => runtimes.set(id, runtime)))
    })

  const partsWith = (agent: AgentConfig): WholeParts => ({
    agent: agentNow(agent),
    runtime: runtimeOf(agent.id),
    serve,
    sanitizer: part(({ context }) => Context.get(context, ContentSanitizer)),
    audit: part(({ context }) => Context.get(context, AuditLog)),
    readKept: (handle) =>
      Effect.flatMap(live, ({ context }) =>
        Effect.map(Context.get(context, ResultStore).readAny(handle), (kept) => kept?.text)
      ),
    underway,
    logs: oneClient
  })
  const partsOf = new Map(agents.map((agent) => [agent.id, partsWith(agent)]))
  /** Also of an agent that a rule has named since the start. */
  const partsFor = (id: string): WholeParts | undefined => {
    const known = partsOf.get(id)
    const named =
      known === undefined && rules.names(id) ? configNow().agents.find((agent) => agent.id === id) : undefined
    if (named === undefined) return known
    const made = partsWith(held(named))
    partsOf.set(id, made)
    reached.add({ agent: made.agent, runtime: runtimeOf(id) })
    return made
  }

  const ownOf = yield* makeOwn({
    serve,
    runtimes: part(({ context }) => Context.get(context, AgentRuntimes)),
    scope: servers
  })
  /** For a client with its own servers: their log messages concern only this client. */
  const ownParts = Effect.fnUntraced(function* (parts: WholeParts, client: McpClient) {
    const own = yield* Effect.acquireRelease(
      Effect.tap(ownOf(parts.agent, client), (made) => Effect.sync(() => reached.add(made))),
      (made) => Effect.sync(() => reached.delete(made))
    )
    return { ...parts, ...own, logs: true }
  })
  /** At a node of a fleet, they may have been given by another one. */
  const directory = Effect.map(live, ({ context }) => Context.get(context, SessionDirectory).current)
  const sharedHandles = (principal: string): SharedHandles => ({
    give: (given) => Effect.flatMap(directory, (fleet) => fleet?.giveHandles(principal, given) ?? Effect.void),
    has: (handle) => Effect.flatMap(directory, (fleet) => fleet?.hasHandle(principal, handle) ?? Effect.succeed(false))
  })
  const handlesOf = makeHandlesOf(sharedHandles)

  const followRoots = (client: McpClient) =>
    following("the folders of the client", client.roots, (theirs) =>
      Effect.flatMap(live, ({ context }) => Context.get(context, HostFeatures).setRoots(theirs))
    )

  let logins: AccountLogins["Service"] | undefined
  let askedAt: AgentParts["askedAt"]
  return {
    connectAt: (pages) => void (logins = pages),
    askAt: ({ issuers, url }) => {
      askedAt = ({ person }) => ({ url, isOwn: person !== undefined && issuers.includes(person.issuer) })
    },
    serve: Effect.fnUntraced(function* (given) {
      const client = { ...given, only: given.only ?? options.only }
      const { only } = client
      const parts = partsFor(client.agent ?? agents[0]!.id)
      if (parts === undefined) {
        return yield* new RequestRefused({ code: REFUSED, message: "the agent of this client is not served here" })
      }
      const agent = parts.agent()
      const alone = only === undefined ? undefined : agent.servers.find(({ enabled, name }) => enabled && name === only)
      const caller = oneClient ? () => options.caller ?? NOBODY : rules.callerOf(client)
      const isThere = only === undefined || (alone !== undefined && rules.shows(caller(), alone))
      if (!isThere) return yield* new RequestRefused(NOTHING_THERE)
      yield* begin
      if (oneClient && roots === undefined) yield* Effect.forkScoped(followRoots(client))
      const needed = alone === undefined ? agent.servers : [alone]
      const hasOwn = needed.some(apart)
      const whole = { ...(hasOwn ? yield* ownParts(parts, client) : parts), logins, askedAt }
      const { principal } = client
      const seen = { ...whole, runtime: Effect.map(whole.runtime, (runtime) => runtime.as(caller)) }
      const shown = alone === undefined ? seen : onlyParts(seen, alone.name)
      const offer = makeOffer(
        shown,
        yield* handlesOf(principal),
        caller,
        (server) => rules.shows(caller(), server),
        client.session
      )
      return hasOwn ? { ...offer, idleMs: SERVE_OWN_SESSION_IDLE_MS } : offer
    }),
    admits: rules.admits,
    serversOf: ({ agent: id, identity, principal }) => {
      const admitted = rules.admits({ principal, agent: id, identity })
      const agent = admitted === undefined ? undefined : partsFor(admitted.agent ?? agents[0]!.id)?.agent()
      const caller = callerWith(principal, identity)
      const own = agent?.servers.filter((server) => server.enabled && rules.shows(caller, server)) ?? []
      return own.map((server) => {
        const isolation = isolationOf(server, serve.isolate)
        const { person } = caller
        return isolation === undefined ? server : heldByClient(server, isolation, { principal, session: "", person })
      })
    },
    startAgain: startAgain(reached),
    begin,
    live: Effect.map(Deferred.await(done), ({ context }) => context)
  }
})
