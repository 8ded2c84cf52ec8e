/**
 * `mcp-live logs`: what servers wrote to stderr, their log messages, and how they started and ended, from the files of the log about servers.
 * Starts no server and reads no configuration.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import { AUDIT_FOLLOW_MS } from "../../../schemas/defaults/Audit.ts"
import { SERVER_LOG_SHOWN } from "../../../schemas/defaults/ServerLogs.ts"
import { nearest } from "../../../schemas/call/Names.ts"
import { isPersons } from "../../../schemas/connection/Isolation.ts"
import { LOG_LEVELS, reaches, type LogLevel } from "../../../schemas/connection/LogMessage.ts"
import {
  SERVER_LOG_SOURCES,
  type ServerLogLine,
  type ServerLogSource
} from "../../../schemas/connection/ServerLogLine.ts"
import { ServerLogTrail, type ServerLogText } from "../../../services/connection/ServerLogTrail.ts"
import { findGateways } from "../../../system/gatewayFiles.ts"
import { root, withLogLevel } from "../command.ts"
import { complain, print, visible } from "../output.ts"
import { untilStopped } from "../signals.ts"
import { followFlag, limitFlag, personFlag, sinceFlag, sinceOf } from "../recordFlags.ts"
import { safeJsonLine } from "../safeJsonLine.ts"
import { logsOfNodes, nodeHere } from "./nodes.ts"
import { renderLogLine } from "./rendering.ts"

const SERVERS_SHOWN = 12

interface Filter {
  readonly server: string | undefined
  readonly level: LogLevel
  /** A pattern, or an id. */
  readonly person: string | undefined
  readonly source: ServerLogSource | undefined
  readonly since: number | undefined
}

const matches = (line: ServerLogLine, { level, person, server, since, source }: Filter): boolean =>
  (server === undefined || line.server === server) &&
  (source === undefined || line.source === source) &&
  (person === undefined || isPersons(line.whose, person)) &&
  (since === undefined || Date.parse(line.time) >= since) &&
  reaches(line.level, level)

type Lines<E> = Stream.Stream<ReadonlyArray<ServerLogText>, E>

interface Shown {
  readonly text: string
  readonly record: ServerLogLine
}

/** Reads the whole stream; of the lines that match, keeps the newest `limit`, in the order of the files; and the names of all servers. */
const gather = Effect.fnUntraced(function* <E>(lines: Lines<E>, filter: Filter, limit: number) {
  let kept: Array<Shown> = []
  const servers = new Set<string>()
  yield* Stream.runForEach(lines, (piece) =>
    Effect.sync(() => {
      for (const { record, text } of piece) {
        if (record === undefined) continue
        servers.add(record.server)
        if (matches(record, filter)) kept.push({ record, text })
      }
      if (kept.length > limit * 2) kept = kept.slice(-limit)
    })
  )
  return { kept: kept.slice(-limit), servers }
})

/** Why there are no lines: also that a server of that name has written none at all. */
const nothingIn = (directory: string, { server }: Filter, servers: ReadonlySet<string>): string => {
  if (server === undefined || servers.size === 0 || servers.has(server)) return `no matching lines in ${directory}`
  const near = nearest(server, servers)
  const hint = near === null ? `servers with lines: ${someOf([...servers])}` : `did you mean '${visible(near)}'?`
  return `no lines of '${visible(server)}' in ${directory}; ${hint}`
}

const someOf = (names: ReadonlyArray<string>): string => {
  const more = names.length - SERVERS_SHOWN
  return `${names.slice(0, SERVERS_SHOWN).map(visible).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const show = Effect.fnUntraced(function* (lines: ReadonlyArray<Shown>, { server }: Filter) {
  const { json } = yield* root
  if (lines.length === 0) return
  yield* print(
    lines
      .map(({ record, text }) => (json ? safeJsonLine(text) : renderLogLine(record, server === undefined)))
      .join("\n")
  )
})

/** Says which of the gateways that run write nothing into the files, so that nobody waits for their lines. */
const tellSilent = Effect.gen(function* () {
  const found = yield* Effect.promise(() => findGateways(dataDirectory()))
  for (const { kind, logFiles, pid } of found)
    if (logFiles === false)
      yield* complain(
        `the running gateway ${pid} (${kind}) writes nothing to these files: its configuration has logs: { files: false }`
      )
})

export const logs = Command.make(
  "logs",
  {
    server: Argument.String("server").pipe(
      Argument.withDescription("Only this server; without it, all"),
      Argument.optional
    ),
    level: Flag.Literals("level", LOG_LEVELS).pipe(
      Flag.withDescription("Only lines of at least this level; for stderr, the level is a guess from the words"),
      Flag.withDefault("debug" as const)
    ),
    source: Flag.Literals("source", SERVER_LOG_SOURCES).pipe(
      Flag.withDescription("Only stderr, log messages of servers, or what the gateway did with them"),
      Flag.optional
    ),
    person: personFlag,
    since: sinceFlag("lines"),
    limit: limitFlag(SERVER_LOG_SHOWN),
    follow: followFlag("lines")
  },
  Effect.fnUntraced(function* ({ follow, level, limit, person, server, source, ...given }) {
    const since = yield* sinceOf(given.since)
    const filter: Filter = {
      server: Option.getOrUndefined(server),
      level,
      person: Option.getOrUndefined(person),
      source: Option.getOrUndefined(source),
      since
    }
    const node = yield* nodeHere
    const body = Effect.gen(function* () {
      if (node !== undefined) {
        const named = Option.match(server, { onNone: () => ({}), onSome: (name) => ({ server: name }) })
        const of = Option.match(source, { onNone: () => ({}), onSome: (kind) => ({ source: kind }) })
        const matching = (line: ServerLogLine) => matches(line, filter)
        return yield* logsOfNodes(node, { ...named, ...of, level, limit, follow, matches: matching })
      }
      const trail = yield* ServerLogTrail
      const lines = yield* trail.read(since)
      const { kept, servers } = yield* gather(lines, filter, limit)
      yield* show(kept, filter)
      if (kept.length === 0) yield* complain(nothingIn(trail.directory, filter, servers))
      yield* tellSilent
      if (!follow) return
      for (;;) {
        yield* Effect.sleep(AUDIT_FOLLOW_MS)
        yield* show((yield* gather(lines, filter, Number.MAX_SAFE_INTEGER)).kept, filter)
      }
    })
    const { layer } = yield* Effect.promise(() => import("../../../layers/connection/ServerLogTrail.ts"))
    yield* body.pipe(
      Effect.provide(layer()),
      untilStopped,
      // Ctrl-C is the normal way to end --follow.
      Effect.catchTag("Stopped", (stopped) =>
        follow && stopped.reason === "SIGINT" ? Effect.void : Effect.fail(stopped)
      ),
      withLogLevel("Warn")
    )
  })
).pipe(
  Command.withDescription(
    "Show what servers of gateways wrote to stderr, their log messages, and how they started and ended. Starts no server. With --json, prints the lines of the log"
  ),
  Command.withShortDescription("Show what servers wrote, and how they started and ended")
)
