/** Looks servers up in a registry of MCP servers. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Effect from "effect/Effect"
import type { ServerJson } from "../../schemas/config/registry/ServerJson.ts"

/** The registry does not answer, does not know the server, or answers with something else. */
export class RegistryFailed extends Schema.TaggedError<RegistryFailed>()("RegistryFailed", {
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

export interface Listed {
  readonly server: ServerJson
  /** What the registry warns of, such as that the server is deprecated. A stranger's words. */
  readonly warning: string | undefined
}

/** Looks servers up in a registry of MCP servers. Its answers are a stranger's: bounded, and decoded, but not cleaned for a terminal. */
export class ServerRegistry extends Context.Service<
  ServerRegistry,
  {
    /** One server by its full name; the newest version if none is named. An answer about another server or version is a failure. */
    readonly find: (name: string, version: string | undefined) => Effect.Effect<Listed, RegistryFailed>
    /**
     * Downloads the file of a package, within bounds, from a public address over https or from the registry itself. Fails unless it has
     * the digest.
     */
    readonly download: (url: string, sha256: string) => Effect.Effect<Buffer, RegistryFailed>
  }
>()("mcp-live/services/ServerRegistry") {}
