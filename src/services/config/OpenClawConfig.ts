/** Reads the configuration of OpenClaw as OpenClaw does: finds the file, and resolves what it includes. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"

export interface OpenClawFiles {
  /** Absolute path. */
  readonly file: string
  /** Every file that was read; the first one is `file`. */
  readonly files: ReadonlyArray<string>
  /** The configuration as written, with every include in its place. `${VAR}` is not expanded. */
  readonly value: unknown
}

export class OpenClawConfig extends Context.Service<
  OpenClawConfig,
  {
    /** Without a path, reads the file that OpenClaw would take. Fails with the problem of the first file that is wrong. */
    readonly load: (path?: string) => Effect.Effect<OpenClawFiles, ConfigError>
    /** Whether a program with that name or path can be started from here. */
    readonly hasCommand: (command: string) => boolean
    /** Whether the folder holds a plugin of OpenClaw. */
    readonly hasPlugin: (path: string) => boolean
  }
>()("mcp-live/services/OpenClawConfig") {}
