/**
 * MCP servers that live in memory, with faults as data. They stand in for processes and sockets only, behind the contract
 * of `ServerConnector`. Everything that takes time does so on Effect's Clock, so `TestClock` drives it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { decodeAll, decodePrompt, decodeResource, decodeTool, type Catalogue } from "../schemas/Catalogue.ts"
import {
  CallTimeout,
  ConnectionLost,
  ProtocolError,
  ServerExited,
  type ConnectError,
  type RequestError
} from "../schemas/McpError.ts"
import type { ServerConfig } from "../schemas/ServerConfig.ts"
import type { ConnectionInfo } from "../schemas/ServerState.ts"
import { ServerConnector, type RequestOptions, type ServerConnection } from "../services/ServerConnector.ts"

export interface TestTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: object
  /** The `tools/call` result; the arguments as JSON text when left out. */
  readonly handle?: (args: Readonly<Record<string, unknown>>) => unknown
}

/** What goes wrong, and when. All of it can be changed while the server runs. */
export interface Faults {
  /** So many connection attempts fail before one succeeds. */
  readonly refuseStarts?: number
  /** How they fail; as a process that exits with code 1 when left out. */
  readonly refuseWith?: (server: string) => ConnectError
  /** How long a connection takes to open. */
  readonly connectTime?: Duration.Input
  /** How long a connection takes to close, as a process that is slow to end. */
  readonly closeTime?: Duration.Input
  /** The connection dies in the middle of this call, counted from 1 for each connection. */
  readonly crashOnCall?: number
  /** The connection dies so long after it was opened. */
  readonly crashAfter?: Duration.Input
  /** Calls are never answered. */
  readonly hang?: boolean
  /** Calls are answered after so long. */
  readonly callTime?: Duration.Input
  /** What every call answers instead of a result: nonsense, for instance. */
  readonly answerWith?: unknown
  /** Pings are never answered. */
  readonly deaf?: boolean
}

export interface TestServer {
  /** Raw definitions, as a server would send them: bad ones are welcome. One tool `echo` when left out. */
  readonly tools?: ReadonlyArray<unknown>
  readonly resources?: ReadonlyArray<unknown>
  readonly prompts?: ReadonlyArray<unknown>
  readonly faults?: Faults
  /** Further keys of the server's configuration: `lazy`, `maxRestarts`, `toolTimeout`, … */
  readonly config?: Readonly<Record<string, unknown>>
}

export interface Counts {
  /** Connection attempts. */
  readonly attempts: number
  readonly opened: number
  readonly closed: number
  readonly calls: number
}

/** The strings that a test pulls. Names must be names of servers that were given to the layer. */
export class TestServers extends Context.Service<
  TestServers,
  {
    readonly counts: (server: string) => Counts
    /** When, on the Clock, each connection attempt was made: milliseconds. */
    readonly attemptTimes: (server: string) => ReadonlyArray<number>
    /** Ends the live connection as a killed process would; nothing when there is none. */
    readonly kill: (server: string) => Effect.Effect<void>
    readonly setFaults: (server: string, faults: Faults) => Effect.Effect<void>
    /** Offers other tools and announces it. */
    readonly setTools: (server: string, tools: ReadonlyArray<unknown>) => Effect.Effect<void>
  }
>()("mcp-live/testing/TestServers") {}

interface Running {
  tools: ReadonlyArray<unknown>
  faults: Faults
  counts: Counts
  readonly attemptTimes: Array<number>
  died: Deferred.Deferred<never, ServerExited> | undefined
  announce: () => void
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

const isTestTool = (tool: unknown): tool is TestTool => typeof tool === "object" && tool !== null && "name" in tool

/** A connector whose servers are data, and the strings to pull. */
export const layerServers = (
  servers: Readonly<Record<string, TestServer>>
): Layer.Layer<ServerConnector | TestServers> => {
  const running = new Map<string, Running>(
    Object.entries(servers).map(([name, { faults = {}, tools = [ECHO] }]) => [
      name,
      {
        tools: tools.map((tool) => (isTestTool(tool) ? { inputSchema: { type: "object" }, ...tool } : tool)),
        faults,
        counts: { attempts: 0, opened: 0, closed: 0, calls: 0 },
        attemptTimes: [],
        died: undefined,
        announce: () => {}
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

  const catalogueOf = (name: string, server: Running): Catalogue => {
    const tools = decodeAll(server.tools, decodeTool, (tool) => tool.name)
    const resources = decodeAll(servers[name]?.resources ?? [], decodeResource("uri"), (resource) => resource.uri)
    const prompts = decodeAll(servers[name]?.prompts ?? [], decodePrompt, (prompt) => prompt.name)
    return {
      tools: tools.values,
      resources: resources.values,
      resourceTemplates: [],
      prompts: prompts.values,
      diagnostics: [...tools.diagnostics, ...resources.diagnostics, ...prompts.diagnostics]
    }
  }

  const answer = (
    name: string,
    server: Running,
    params: Readonly<Record<string, unknown>>
  ): Effect.Effect<unknown, RequestError> => {
    if (server.faults.answerWith !== undefined) return Effect.succeed(server.faults.answerWith)
    const tool = server.tools.find((candidate) => isTestTool(candidate) && candidate.name === params["name"])
    if (!isTestTool(tool)) return Effect.fail(new ProtocolError({ server: name, code: -32602, detail: "Unknown tool" }))
    const args = (params["arguments"] ?? {}) as Readonly<Record<string, unknown>>
    return Effect.sync(() => tool.handle?.(args) ?? { content: [{ type: "text", text: JSON.stringify(args) }] })
  }

  const call = Effect.fnUntraced(function* (
    name: string,
    server: Running,
    died: Deferred.Deferred<never, ServerExited>,
    nth: number,
    params: Readonly<Record<string, unknown>>
  ) {
    const crashes = server.faults.crashOnCall === nth
    if (crashes) yield* Deferred.fail(died, killed(name))
    if (crashes || server.faults.hang === true) return yield* Effect.never
    if (server.faults.callTime !== undefined) yield* Effect.sleep(server.faults.callTime)
    return yield* answer(name, server, params)
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

    const died = yield* Deferred.make<never, ServerExited>()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        count(server, "opened")
        server.died = died
      }),
      () =>
        // As a real link does: calls in flight end with the connection.
        Deferred.fail(died, killed(name)).pipe(
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
    return {
      info: INFO,
      catalogue: catalogueOf(name, server),
      discover: Effect.sync(() => catalogueOf(name, server)),
      onListChanged: (listener) => {
        server.announce = listener
      },
      ping: server.faults.deaf === true ? Effect.never : Effect.succeed(true),
      closed: Deferred.await(died),
      request: (method, params, { idleMs, totalMs }: RequestOptions) => {
        if (Deferred.isDoneUnsafe(died)) return lost(false)
        count(server, "calls")
        const timeoutMs = Math.min(idleMs, totalMs)
        return call(name, server, died, ++calls, params).pipe(
          Effect.raceFirst(lost(true)),
          Effect.timeoutOrElse({
            duration: timeoutMs,
            orElse: () => Effect.fail(new CallTimeout({ server: name, method, timeoutMs, deadline: "idle" }))
          })
        )
      }
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
      setTools: (name, tools) =>
        Effect.sync(() => {
          const server = find(name)
          server.tools = tools
          server.announce()
        })
    })
  )
}
