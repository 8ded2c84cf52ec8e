/** The person who has logged in on the page, as the requests of their connection see them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Caller } from "../../schemas/call/Caller.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { LoginFailed } from "../../schemas/login/Login.ts"

/** A client of a person that is connected. */
export interface OpenSession {
  readonly client: string
  /** What the client calls itself. */
  readonly program?: string
  /** Milliseconds since the epoch. */
  readonly since: number
}

export interface PersonVisit {
  /** Who they are; `undefined` from when the rules let them in no more. */
  readonly caller: () => Caller | undefined
  /** They have logged in at another node, which asks this one on behalf of them. */
  readonly isPassedOn?: true | undefined
  readonly sessions: () => ReadonlyArray<OpenSession>
  /** The servers that the rules show them, each as it is theirs. */
  readonly servers: () => ReadonlyArray<ServerConfig>
  /** The address of a page at which they connect their account at one of these. */
  readonly connect: (server: ServerConfig) => Effect.Effect<string, LoginFailed>
}

/** `undefined` for a connection that nobody has logged in for. */
export class Visitor extends Context.Reference<PersonVisit | undefined>("mcp-live/services/Visitor", {
  defaultValue: () => undefined
}) {}
