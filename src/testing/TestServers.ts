/**
 * MCP servers in memory, with faults as data. They implement `ServerConnector` in place of processes and sockets. All waiting
 * uses Effect's Clock, so `TestClock` drives it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Catalogue } from "../schemas/connection/Catalogue.ts"
import { HostRefusal, METHOD_NOT_FOUND } from "../schemas/content/HostRequest.ts"
import { ServerExited, type ConnectError } from "../schemas/connection/ConnectError.ts"
import { ConnectionLost, ProtocolError, type RequestError } from "../schemas/connection/RequestError.ts"
import type { ServerConfig } from "../schemas/connection/ServerConfig.ts"
import type { ConnectionInfo } from "../schemas/connection/ServerState.ts"
import { HostFeatures } from "../services/content/HostFeatures.ts"
import { ServerConnector, type ServerConnection, type ServerEvent } from "../services/connection/ServerConnector.ts"
import { inTime } from "./inTime.ts"
import { answer, toCatalogue, withSchema, type Offered, type TestHost, type TestTool } from "./TestData.ts"

/** The faults of a server, and when they happen. You can change all of them while the server runs. */
export interface Faults {
  /** This many connection attempts fail first. */
  readonly refuseStarts?: number
  /** How they fail. Default: as a process that exits with code 1. */
  readonly refuseWith?: (server: string) => ConnectError
  /** How long a connection takes to open. */
  readonly connectTime?: Duration.Input
  /** How long a connection takes to close, like a process that ends slowly. */
  readonly closeTime?: Duration.Input
  /** The connection dies during this call, counted from 1 on each connection. */
  readonly crashOnCall?: number
  /** The connection dies this long after it was opened. */
  readonly crashAfter?: Duration.Input
  /** Calls are never answered. */
  readonly hang?: boolean
  /** Calls are answered after this time. */
  readonly callTime?: Duration.Input
  /** Every call gets this in place of its result, for example nonsense. */
  readonly answerWith?: unknown
  /** Pings are never answered. */
  readonly deaf?: boolean
  /** Lists are refused, except to a new connection. */
  readonly refuseLists?: boolean
  /** How long lists take, except to a new connection. */
  readonly listTime?: Duration.Input
}

/**
 * Raw definitions, as a server would send them, including invalid ones; those of `TestTool`, `TestResource`,
 * `TestResourceTemplate` and `TestPrompt` also say how they are answered. What is left out is not offered.
 */
export interface TestServer {
  /** Default: one tool `echo`. */
  readonly tools?: ReadonlyArray<unknown>
  readonly resources?: ReadonlyArray<unknown>
  readonly resourceTemplates?: ReadonlyArray<unknown>
  readonly prompts?: ReadonlyArray<unknown>
  /** Whether it announces changes of its resources. Default: true. */
  readonly subscriptions?: boolean
  readonly faults?: Faults
  /** Further keys of the server's configuration: `lazy`, `maxRestarts`, `toolTimeout`, … */
  readonly config?: Readonly<Record<string, unknown>>
}

/** How often something happened to a test server. */
export interface Counts {
  /** Connection attempts. */
  readonly attempts: number
  readonly opened: number
  readonly closed: number
  /** Requests of every kind except lists. */
  readonly calls: number
  /** Lists that were requested on an existing connection. */
  readonly lists: number
}

/** Controls the servers of a test. Use only names that were given to the layer. */
export class TestServers extends Context.Service<
  TestServers,
  {
    readonly counts: (server: string) => Counts
    /** When each connection attempt was made: milliseconds of the Clock. */
    readonly attemptTimes: (server: string) => ReadonlyArray<number>
    /** Ends the current connection like a killed process; does nothing without one. */
    readonly kill: (server: string) => Effect.Effect<void>
    readonly setFaults: (server: string, faults: Faults) => Effect.Effect<void>
    /** Replaces the tools and announces it. */
    readonly setTools: (server: string, tools: ReadonlyArray<unknown>) => Effect.Effect<void>
    readonly setResources: (server: string, resources: ReadonlyArray<unknown>) => Effect.Effect<void>
    readonly setPrompts: (server: string, prompts: ReadonlyArray<unknown>) => Effect.Effect<void>
    /** Announces changed lists, whether or not they changed. */
    readonly announceLists: (server: string) => Effect.Effect<void>
    /** Announces a changed resource to the connections that subscribed to it. */
    readonly announceResource: (server: string, uri: string) => Effect.Effect<void>
    /** The resources that connections subscribed to. */
    readonly watched: (server: string) => ReadonlyArray<string>
  }
>()("mcp-live/testing/TestServers") {}

/** The part of a connection that gets events. */
interface Ear {
  listener: (event: ServerEvent) => void
  watched: ReadonlyArray<string>
}

interface Running {
  offered: Offered
  faults: Faults
  counts: Counts
  readonly attemptTimes: Array<number>
  died: Deferred.Deferred<never, ServerExited> | undefined
  readonly ears: Set<Ear>
}

const ECHO: TestTool = {
  name: "echo",
  description: "Says what it is told",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  handle: ({ text }) => ({ content: [{ type: "text", text: String(text) }] })
}

const killed = (server: string) => new ServerExited({ server, code: null, signal: "SIGKILL", stderr: "" })
const exited = (server: string) => new ServerExited({ server, code: 1, signal: null, stderr: "" })

const INFO: ConnectionInfo = {
  transport: "stdio",
  protocolVersion: "2025-11-25",
  era: "legacy",
  pid: undefined,
  connectMs: 0
}

/** A connector whose servers are data, and the service that controls them. */
export const layerServers = (
  servers: Readonly<Record<string, TestServer>>
): Layer.Layer<ServerConnector | TestServers> => {
  const running = new Map<string, Running>(
    Object.entries(servers).map(([name, { faults = {}, prompts, resources, resourceTemplates, tools = [ECHO] }]) => [
      name,
      {
        offered: { tools: tools.map(withSchema), resources, resourceTemplates, prompts },
        faults,
        counts: { attempts: 0, opened: 0, closed: 0, calls: 0, lists: 0 },
        attemptTimes: [],
        died: undefined,
        ears: new Set()
      }
    ])
  )
  const find = (name: string): Running => {
    const server = running.get(name)
    if (server === undefined) throw new Error(`no test server '${name}'; there are: ${[...running.keys()].join(", ")}`)
    return server
  }
  const count = (server: Running, key: keyof Counts) => {
    server.counts = { ...server.counts, [key]: server.counts[key] + 1 }
  }

  const catalogueOf = ({ name, resources }: ServerConfig, { offered }: Running): Catalogue =>
    toCatalogue(offered, { resources, subscriptions: servers[name]?.subscriptions !== false })

  const list = (config: ServerConfig, server: Running): Effect.Effect<Catalogue, RequestError> =>
    Effect.suspend(() => {
      count(server, "lists")
      const { listTime, refuseLists } = server.faults
      const listed = Effect.suspend(() =>
        refuseLists === true
          ? Effect.fail(new ProtocolError({ server: config.name, code: null, detail: "no lists today" }))
          : Effect.succeed(catalogueOf(config, server))
      )
      return listTime === undefined ? listed : Effect.delay(listed, listTime)
    })

  const call = Effect.fnUntraced(function* (
    name: string,
    server: Running,
    died: Deferred.Deferred<never, ServerExited>,
    nth: number,
    method: string,
    params: Readonly<Record<string, unknown>>,
    host: TestHost
  ) {
    const crashes = server.faults.crashOnCall === nth
    if (crashes) yield* Deferred.fail(died, killed(name))
    if (crashes || server.faults.hang === true) return yield* Effect.never
    if (server.faults.callTime !== undefined) yield* Effect.sleep(server.faults.callTime)
    if (server.faults.answerWith !== undefined) return server.faults.answerWith
    return yield* answer(name, server.offered, method, params, host)
  })

  const change = (name: string, offered: Partial<Offered>) =>
    Effect.sync(() => {
      const server = find(name)
      server.offered = { ...server.offered, ...offered }
      for (const { listener } of server.ears) listener({ _tag: "ListChanged" })
    })

  const open = Effect.fnUntraced(function* (
    config: ServerConfig
  ): Effect.fn.Return<ServerConnection, ConnectError, Scope.Scope> {
    const { name } = config
    const server = find(name)
    count(server, "attempts")
    server.attemptTimes.push(yield* Clock.currentTimeMillis)
    if (server.faults.connectTime !== undefined) yield* Effect.sleep(server.faults.connectTime)
    const { refuseStarts = 0, refuseWith = exited } = server.faults
    if (server.counts.attempts <= refuseStarts) return yield* refuseWith(name)

    const features = Option.getOrUndefined(yield* Effect.serviceOption(HostFeatures))
    const clock = yield* Clock.Clock
    const ear: Ear = { listener: () => {}, watched: [] }
    const died = yield* Deferred.make<never, ServerExited>()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        count(server, "opened")
        server.died = died
        server.ears.add(ear)
      }),
      () =>
        Effect.sync(() => server.ears.delete(ear)).pipe(
          // As with a real connection, calls in flight end with it.
          Effect.andThen(Deferred.fail(died, killed(name))),
          Effect.andThen(server.faults.closeTime === undefined ? Effect.void : Effect.sleep(server.faults.closeTime)),
          Effect.andThen(Effect.sync(() => count(server, "closed")))
        )
    )
    if (server.faults.crashAfter !== undefined) {
      yield* Effect.sleep(server.faults.crashAfter).pipe(
        Effect.andThen(Deferred.fail(died, killed(name))),
        Effect.forkScoped
      )
    }
    let calls = 0
    const lost = (maybeExecuted: boolean) =>
      Effect.mapError(
        Deferred.await(died),
        () => new ConnectionLost({ server: name, detail: "the server was ended by SIGKILL", maybeExecuted })
      )
    const ask: TestHost["ask"] = (method, params = {}) =>
      features?.answer(config, method, params) ??
      Effect.fail(new HostRefusal({ code: METHOD_NOT_FOUND, message: "there is no host" }))

    const request: ServerConnection["request"] = (method, params, options) => {
      if (Deferred.isDoneUnsafe(died)) return lost(false)
      count(server, "calls")
      const nth = ++calls
      return inTime(name, method, ask, clock, options, (host) =>
        Effect.raceFirst(call(name, server, died, nth, method, params, host), lost(true))
      )
    }

    return {
      info: INFO,
      catalogue: catalogueOf(config, server),
      discover: list(config, server),
      onEvent: (listener) => {
        ear.listener = listener
      },
      watchResources: (uris) =>
        Effect.sync(() => {
          if (catalogueOf(config, server).offers.subscriptions) ear.watched = uris
        }),
      ping: server.faults.deaf === true ? Effect.never : Effect.succeed(true),
      closed: Deferred.await(died),
      request
    }
  })

  return Layer.mergeAll(
    Layer.succeed(ServerConnector, { open }),
    Layer.succeed(TestServers, {
      counts: (name) => find(name).counts,
      attemptTimes: (name) => find(name).attemptTimes,
      kill: (name) =>
        Effect.suspend(() => {
          const { died } = find(name)
          return died === undefined ? Effect.void : Effect.asVoid(Deferred.fail(died, killed(name)))
        }),
      setFaults: (name, faults) => Effect.sync(() => void (find(name).faults = faults)),
      setTools: (name, tools) => change(name, { tools: tools.map(withSchema) }),
      setResources: (name, resources) => change(name, { resources }),
      setPrompts: (name, prompts) => change(name, { prompts }),
      announceLists: (name) => change(name, {}),
      announceResource: (name, uri) =>
        Effect.sync(() => {
          for (const { listener, watched } of find(name).ears) {
            if (watched.includes(uri)) listener({ _tag: "ResourceUpdated", uri })
          }
        }),
      watched: (name) => [...new Set([...find(name).ears].flatMap(({ watched }) => watched))]
    })
  )
}
