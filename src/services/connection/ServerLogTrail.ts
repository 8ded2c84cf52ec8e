/** Reads the files of the log about servers, written by this process or any other. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { PastAsked, PastPage } from "../../schemas/data/PastPage.ts"
import type { ServerLogLine } from "../../schemas/connection/ServerLogLine.ts"
import type { ServerLogUnreadable } from "../../schemas/connection/ServerLogUnreadable.ts"

/** One line of the files. */
export interface ServerLogText {
  /** The line as in the file. */
  readonly text: string
  /** `undefined` when the line is damaged, or newer than this version. */
  readonly record: ServerLogLine | undefined
}

export class ServerLogTrail extends Context.Service<
  ServerLogTrail,
  {
    /** Where the files are, or would be. */
    readonly directory: string
    /** One page of the lines, from the newest to the oldest. */
    readonly past: (asked: PastAsked<ServerLogLine>) => Effect.Effect<PastPage<ServerLogLine>, ServerLogUnreadable>
    /**
     * The lines of all files, oldest file first, in chunks. Running the stream again continues with what has been written since. Skips files
     * that were last written before `since` (milliseconds).
     */
    readonly read: (since?: number) => Effect.Effect<Stream.Stream<ReadonlyArray<ServerLogText>, ServerLogUnreadable>>
  }
>()("mcp-live/services/ServerLogTrail") {}
