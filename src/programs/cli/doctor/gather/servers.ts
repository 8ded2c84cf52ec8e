/** What servers do: from the running gateway, or from one start of all of them, in parallel and bounded in time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { GatewayConfig } from "../../../../schemas/config/GatewayConfig.ts"
import { linesIn } from "../../../../schemas/connection/ServerLogLine.ts"
import type { ServerConfig } from "../../../../schemas/connection/ServerConfig.ts"
import type { ServerStatus } from "../../../../schemas/connection/ServerState.ts"
import { DOCTOR_LOG_LINES, DOCTOR_LOG_MS, DOCTOR_START_MS } from "../../../../schemas/defaults/Doctor.ts"
import type { FiguresValue } from "../../../../schemas/control/FiguresValue.ts"
import type { CallFigures } from "../../../../schemas/control/Figures.ts"
import type { LogFacts, ToolFacts } from "../../../../schemas/doctor/Facts.ts"
import type { AgentTool } from "../../../../schemas/call/Tool.ts"
import { ServerLogs } from "../../../../services/connection/ServerLogs.ts"
import { ServerLogTrail } from "../../../../services/connection/ServerLogTrail.ts"
import type { Found } from "../../../../system/gatewayFiles.ts"
import { withRuntime } from "../../command.ts"
import { progress, tellingWait } from "../../servers/waiting.ts"

export interface Seen {
  readonly status: ReadonlyMap<string, ServerStatus>
  readonly calls: ReadonlyMap<string, CallFigures>
  readonly tools: ReadonlyArray<ToolFacts>
  readonly logs: ReadonlyMap<string, LogFacts>
}

export const NOTHING_SEEN: Seen = { status: new Map(), calls: new Map(), tools: [], logs: new Map() }

const toolFacts = ({ name, parameters, server, tool }: AgentTool): ToolFacts => ({ name, tool, server, parameters })

interface Collected {
  lines: number
  last: Array<string>
}

const makeCollector = () => {
  const servers = new Map<string, Collected>()
  return {
    add: (server: string, source: string, text: string) => {
      const kept = servers.get(server) ?? { lines: 0, last: [] }
      servers.set(server, kept)
      if (source === "stderr") kept.lines += linesIn(text)
      kept.last.push(`${source}: ${text}`)
      if (kept.last.length > DOCTOR_LOG_LINES) kept.last.shift()
    },
    facts: (overMs: number): ReadonlyMap<string, LogFacts> =>
      new Map([...servers].map(([name, { last, lines }]) => [name, { lines, last, overMs }]))
  }
}

// ---- the running gateway -------------------------------------------------------------------------------------------

/** Of the last hour. Without readable files, nothing. */
const keptLogs = Effect.fnUntraced(function* (gateway: number) {
  const { layer } = yield* Effect.promise(() => import("../../../../layers/connection/ServerLogTrail.ts"))
  const since = (yield* Clock.currentTimeMillis) - DOCTOR_LOG_MS
  const collector = makeCollector()
  yield* Effect.gen(function* () {
    const lines = yield* (yield* ServerLogTrail).read(since)
    yield* Stream.runForEach(lines, (piece) =>
      Effect.sync(() => {
        for (const { record } of piece)
          if (record?.gateway === gateway && Date.parse(record.time) >= since)
            collector.add(record.server, record.source, record.text)
      })
    )
  }).pipe(Effect.provide(layer()), Effect.ignore)
  return collector.facts(DOCTOR_LOG_MS)
})

/** The servers of these agents; of several with the same name, that of the first. An agent that it does not know is left out. */
export const askGateway = Effect.fnUntraced(function* (gateway: Found, agents: ReadonlyArray<string>) {
  const { connect } = yield* Effect.promise(() => import("../../running/client.ts"))
  const status = new Map<string, ServerStatus>()
  const calls = new Map<string, CallFigures>()
  const tools: Array<ToolFacts> = []
  for (const agent of agents) {
    const seen = yield* Effect.scoped(
      Effect.gen(function* () {
        const { lost, operator, runtime } = yield* connect(gateway, agent, {})
        const both = Effect.gen(function* () {
          const all = yield* runtime.allTools
          return { tools: all, figures: yield* operator.figures }
        })
        return yield* Effect.raceFirst(both, lost)
      })
    ).pipe(Effect.catchTag("UnknownAgent", () => Effect.succeed({ tools: [], figures: {} as FiguresValue })))
    const fresh = new Set(Object.keys(seen.figures).filter((name) => !status.has(name)))
    for (const name of fresh) {
      status.set(name, seen.figures[name]!.status)
      calls.set(name, seen.figures[name]!.calls)
    }
    tools.push(...seen.tools.filter(({ server }) => fresh.has(server)).map(toolFacts))
  }
  return { status, calls, tools, logs: yield* keptLogs(gateway.pid) } satisfies Seen
})

// ---- servers of its own --------------------------------------------------------------------------------------------

/** One agent with all these servers, each of which is started once. */
const once =
  (agent: string, servers: ReadonlyArray<ServerConfig>) =>
  (config: GatewayConfig): GatewayConfig => ({
    ...config,
    defaultAgent: agent,
    agents: config.agents
      .filter(({ id }) => id === agent)
      .map((one) => ({
        ...one,
        servers: servers.map((server) => ({ ...server, lazy: false, idleTtlMs: 0, restartOnCrash: false }))
      }))
  })

export const startOnce = Effect.fnUntraced(function* (agent: string, servers: ReadonlyArray<ServerConfig>) {
  const collector = makeCollector()
  const since = yield* Clock.currentTimeMillis
  const seen = yield* withRuntime(
    Effect.fnUntraced(function* (runtime) {
      const settled = Effect.andThen(runtime.tools, runtime.ready)
      yield* tellingWait(Effect.timeoutOption(settled, DOCTOR_START_MS), progress(runtime))
      // Definitions are reviewed when they are read.
      const tools = yield* runtime.allTools
      return { tools: tools.map(toolFacts), status: new Map(Object.entries(yield* runtime.status)) }
    }),
    { narrow: once(agent, servers) },
    false
  ).pipe(
    Effect.provideService(ServerLogs, {
      write: (server, source, _level, text) => collector.add(server, source, text),
      onLine: () => Effect.void,
      lines: Stream.never
    })
  )
  return {
    ...seen,
    calls: new Map<string, CallFigures>(),
    logs: collector.facts((yield* Clock.currentTimeMillis) - since)
  } satisfies Seen
})
