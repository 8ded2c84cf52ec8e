/** What is read from a client's file: its servers in the words of openclaw.json, and what was left out and why. */
import type { KeyPath } from "../KeyPath.ts"
import type { ClientName } from "./ClientNames.ts"

/** Something that the person should know, at its place in the client's file. */
export interface Remark {
  readonly path: KeyPath
  readonly message: string
}

/** A server of a client. Its entry is decoded later, like any entry of openclaw.json. */
export interface ClientServer {
  /** Fit for openclaw.json. */
  readonly name: string
  /** Where its entry is in the client's file. */
  readonly path: KeyPath
  readonly entry: Readonly<Record<string, unknown>>
  /** Where a key of the entry was written in the client's file. */
  readonly written: (own: KeyPath) => KeyPath
  readonly remarks: ReadonlyArray<Remark>
  /** The folder of the project that alone has it. */
  readonly project?: string
}

/** A server that cannot be taken. */
export interface LeftServer extends Remark {
  readonly name: string
  /** The entry is wrong; else it is fine, but cannot work outside of its client. */
  readonly isBroken: boolean
}

export interface ClientFile {
  readonly client: ClientName
  readonly servers: ReadonlyArray<ClientServer>
  readonly left: ReadonlyArray<LeftServer>
}

/** What a client's file refers to outside of itself. */
export interface ClientContext {
  readonly home: string
  /** The folder of the client's file. */
  readonly folder: string
  /** What the client calls the workspace folder. */
  readonly workspace: string
  /** The text of an `envFile`; `undefined` if it cannot be read. */
  readonly readText: (path: string) => string | undefined
}
