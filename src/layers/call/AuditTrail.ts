/** Reads the files of the audit log. Needs no lock, server or configuration. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { AUDIT_FILES, auditDirectory } from "../../schemas/call/AuditFiles.ts"
import { parseAuditLine } from "../../schemas/call/AuditRecord.ts"
import { withoutPerson } from "../../schemas/call/Forgotten.ts"
import { makeUsage } from "../../schemas/call/Usage.ts"
import { AuditUnreadable } from "../../schemas/call/AuditUnreadable.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { AuditTrail } from "../../services/call/AuditTrail.ts"
import { fileSystemSays } from "../../system/ownFiles.ts"
import { readPast } from "../../system/pastReader.ts"
import { rewriteLines } from "../../system/rewriteLines.ts"
import { makeReader } from "../../system/lineReader.ts"

/** Where the files are. */
export interface Options {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

const make = (options: Options) => {
  const directory = auditDirectory(options.directory ?? dataDirectory())
  const failed = (error: unknown) => new AuditUnreadable({ directory, detail: fileSystemSays(error) })
  const parts = { directory, names: AUDIT_FILES, parse: parseAuditLine }
  const linesSince = (since: number | undefined) => {
    const reader = makeReader({ ...parts, since })
    return Stream.suspend(() => Stream.fromAsyncIterable(reader.next(), failed))
  }
  return AuditTrail.of({
    directory,
    past: (asked) => Effect.tryPromise({ try: () => readPast(parts, asked), catch: failed }),
    read: (since) => Effect.sync(() => linesSince(since)),
    forget: ({ ids }) => {
      const meant = new Set(ids)
      return Effect.mapError(
        rewriteLines(directory, AUDIT_FILES, (line) => withoutPerson(line, meant)),
        (detail) => new AuditUnreadable({ directory, detail })
      )
    },
    usage: (asked) =>
      Effect.suspend(() => {
        const usage = makeUsage(asked)
        const lines = Stream.runForEach(linesSince(asked.since), (piece) =>
          Effect.sync(() => {
            for (const { record } of piece) if (record !== undefined) usage.add(record)
          })
        )
        return Effect.map(lines, usage.result)
      })
  })
}

/** Reads the files of the audit log. Needs no lock, server or configuration. */
export const layer = (options: Options = {}): Layer.Layer<AuditTrail> => Layer.sync(AuditTrail, () => make(options))
