/** Reads the configuration of OpenClaw as OpenClaw does: which file it is, and what it includes. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"

export interface OpenClawFiles {
  /** Absolute. */
  readonly file: string
  /** All that were read, the first one is `file`. */
  readonly files: ReadonlyArray<string>
  /** As it is written, everything included in its place; `${VAR}` stands as it is. */
  readonly value: unknown
}

export class OpenClawConfig extends Context.Service<
  OpenClawConfig,
  {
    /** Without a path, the file that OpenClaw would take. Fails with what is wrong with the first file that is. */
    readonly load: (path?: string) => Effect.Effect<OpenClawFiles, ConfigError>
    /** Whether a program of that name, or at that place, can be started from here. */
    readonly hasCommand: (command: string) => boolean
    /** Whether there is a folder with a plugin of OpenClaw in it. */
    readonly hasPlugin: (path: string) => boolean
  }
>()("mcp-live/services/OpenClawConfig") {}
