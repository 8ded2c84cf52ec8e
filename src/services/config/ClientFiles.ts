/** Finds the files in which MCP clients keep their servers on this machine. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ClientName } from "../../schemas/config/clients/ClientNames.ts"
import type { FoundServer } from "../../schemas/config/clients/ImportPlan.ts"
import type { ConfigIssue } from "../../schemas/config/ConfigIssue.ts"

/** A server that stays in its client's file, with the reason. */
export interface LeftBehind extends ConfigIssue {
  readonly client: ClientName
  readonly name: string
  /** Its entry is wrong; else it cannot work outside of its client. */
  readonly isBroken: boolean
}

export interface FoundFile {
  readonly client: ClientName
  readonly file: string
  readonly servers: ReadonlyArray<FoundServer>
  readonly left: ReadonlyArray<LeftBehind>
  /** Why the file cannot be read. */
  readonly problem?: ConfigIssue
}

export interface Found {
  /** In the order of the clients, then of their places. */
  readonly files: ReadonlyArray<FoundFile>
  /** The places where there is no file. */
  readonly missing: ReadonlyArray<{ readonly client: ClientName; readonly file: string }>
}

/** Finds and reads the files of clients. Nothing in a file can make it fail: what is wrong is said with file, line and path. */
export class ClientFiles extends Context.Service<
  ClientFiles,
  {
    /** The files of the user, and those of `project` if it is named. A file that two clients share is read once. */
    readonly find: (search: {
      readonly clients: ReadonlyArray<ClientName>
      readonly project?: string | undefined
    }) => Effect.Effect<Found>
  }
>()("mcp-live/services/ClientFiles") {}
