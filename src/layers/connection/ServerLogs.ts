/**
 * Writes the log about servers to files in the data directory, and gives it to those who follow it in this process. Writing happens in the
 * background. Whoever writes has limited the lines of each server.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { SERVER_LOG_FILES, serverLogDirectory } from "../../schemas/connection/ServerLogFiles.ts"
import { SERVER_LOG_VERSION, type ServerLogLine } from "../../schemas/connection/ServerLogLine.ts"
import {
  SERVER_LOG_FILE_MAX_BYTES,
  SERVER_LOG_FILES_MAX,
  SERVER_LOG_TEXT_MAX_CHARS,
  SERVER_LOG_WAITING_MAX
} from "../../schemas/defaults/ServerLogs.ts"
import { LABEL_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { ServerLogs } from "../../services/connection/ServerLogs.ts"
import { makeLineFiles } from "../../system/lineFiles.ts"
import { makeWriter } from "../../system/lineWriter.ts"

export interface Options {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
  /** Whether lines are written to files; asked for each. They are streamed in any case. */
  readonly isKept?: (() => boolean) | undefined
}

type Waiting = Omit<ServerLogLine, "v" | "time" | "gateway"> & { readonly at: number }

const lineOf = ({ at, level, server, source, text, whose }: Waiting): ServerLogLine => ({
  v: SERVER_LOG_VERSION,
  time: new Date(at).toISOString(),
  server,
  ...(whose !== undefined && { whose }),
  source,
  level,
  text,
  gateway: process.pid
})

export const layer = (options: Options = {}): Layer.Layer<ServerLogs> =>
  Layer.effect(
    ServerLogs,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { isKept = () => true } = options
      const place = serverLogDirectory(options.directory ?? dataDirectory())
      const limits = { maxBytes: SERVER_LOG_FILE_MAX_BYTES, maxFiles: SERVER_LOG_FILES_MAX }
      const writer = yield* makeWriter<Waiting>({
        what: "the log about servers",
        place,
        files: makeLineFiles(place, SERVER_LOG_FILES, limits),
        format: (waiting) => waiting.map((one) => JSON.stringify(lineOf(one))),
        gap: (count, since, until) => ({
          at: until,
          server: "",
          source: "gateway",
          level: "warning",
          text: `${count} lines since ${new Date(since).toISOString()} could not be written`
        })
      })
      const readers = new Set<(waiting: Waiting) => void>()
      const reading = (read: (waiting: Waiting) => void) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => readers.add(read)),
            () => Effect.sync(() => readers.delete(read))
          )
        )
      return ServerLogs.of({
        write: (server, source, level, text, whose) => {
          const waiting = {
            at: clock.currentTimeMillisUnsafe(),
            server: server.slice(0, LABEL_MAX_CHARS),
            source,
            level,
            text: text.slice(0, SERVER_LOG_TEXT_MAX_CHARS),
            ...(whose !== undefined && { whose: whose.slice(0, LABEL_MAX_CHARS) })
          }
          if (isKept()) writer.offer(waiting)
          for (const read of readers) read(waiting)
        },
        onLine: (heard) => reading((waiting) => heard(lineOf(waiting))),
        lines: Stream.callback<Waiting>((queue) => reading((waiting) => void Queue.offerUnsafe(queue, waiting)), {
          bufferSize: SERVER_LOG_WAITING_MAX,
          strategy: "sliding"
        }).pipe(Stream.map(lineOf))
      })
    })
  )
