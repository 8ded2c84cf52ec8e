/** Reads the files of the log about servers. Needs no lock, server or configuration. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { SERVER_LOG_FILES, serverLogDirectory } from "../../schemas/connection/ServerLogFiles.ts"
import { parseServerLogLine } from "../../schemas/connection/ServerLogLine.ts"
import { isOfPerson } from "../../schemas/connection/Isolation.ts"
import { ServerLogUnreadable } from "../../schemas/connection/ServerLogUnreadable.ts"
import type { PersonStore } from "../../services/call/PersonStores.ts"
import { ServerLogTrail } from "../../services/connection/ServerLogTrail.ts"
import { readPast } from "../../system/pastReader.ts"
import { makeReader } from "../../system/lineReader.ts"
import { fileSystemSays } from "../../system/ownFiles.ts"
import { rewriteLines } from "../../system/rewriteLines.ts"

export interface Options {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

export const layer = (options: Options = {}): Layer.Layer<ServerLogTrail> =>
  Layer.sync(ServerLogTrail, () => {
    const directory = serverLogDirectory(options.directory ?? dataDirectory())
    const failed = (error: unknown) => new ServerLogUnreadable({ directory, detail: fileSystemSays(error) })
    const parts = { directory, names: SERVER_LOG_FILES, parse: parseServerLogLine }
    return {
      directory,
      past: (asked) => Effect.tryPromise({ try: () => readPast(parts, asked), catch: failed }),
      read: (since) =>
        Effect.sync(() => {
          const reader = makeReader({ ...parts, since })
          return Stream.suspend(() => Stream.fromAsyncIterable(reader.next(), failed))
        })
    }
  })

/** What servers said that ran for a person alone. Servers that people share do not say whose a line is. */
export const linesOfPeople = (directory: string): PersonStore => ({
  what: "lines of the log about servers",
  forget: (person) =>
    rewriteLines(serverLogDirectory(directory), SERVER_LOG_FILES, (line) =>
      isOfPerson(parseServerLogLine(line)?.whose, person) ? "" : undefined
    )
})
