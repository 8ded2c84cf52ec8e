/** One server of a configuration in `{ servers }` form, with every key that it may have (docs/configuration.md). */
import type { ContentMode } from "../../schemas/content/ContentPolicy.ts"
import type { FindingKind } from "../../schemas/content/Finding.ts"
import type { PinMode } from "../../schemas/call/PinMode.ts"
import type { ProtocolChoice } from "../../schemas/config/ServerKeys.ts"

/** Sent with every request. All but the words may be `secret://` references, or hold `${VARIABLES}`. */
export type MCPServerAuth =
  /** As `Authorization: Bearer …`. */
  | { readonly type: "bearer"; readonly token: string }
  /** As `X-API-Key: …`. */
  | { readonly type: "api-key"; readonly key: string }
  /** OAuth 2.1, with the keys of docs/oauth.md. */
  | { readonly type: "oauth"; readonly [key: string]: unknown }

type Texts = ReadonlyArray<string>
type Values = Readonly<Record<string, string | number | boolean>>
type Permission = "allow" | "deny" | boolean
type OnFinding = "report" | "withhold"

/** What every server may have, however it is reached. */
export interface MCPServerKeys {
  /** `false` switches the server off. */
  readonly enabled?: boolean
  /** `true` switches the server off. */
  readonly disabled?: boolean
  /** Milliseconds for one connection attempt. */
  readonly timeout?: number
  /** The same as `timeout`. */
  readonly connectionTimeoutMs?: number
  /** Milliseconds that a call may stay silent. */
  readonly toolTimeout?: number
  /** The same as `toolTimeout`. */
  readonly requestTimeoutMs?: number
  /** Whether it is connected again after a loss. */
  readonly restartOnCrash?: boolean
  /** Restarts within five minutes, after which it is given up. */
  readonly maxRestarts?: number
  /** Stands for the server's name in the names of its tools. */
  readonly toolPrefix?: string
  /** Starts it at the first listing or call of its tools. */
  readonly lazy?: boolean
  /** Milliseconds without a call after which it sleeps until the next one; 0 for never. */
  readonly idleTtlMs?: number
  /** Who shares its process. */
  readonly share?: boolean | string
  /** The revision of MCP; `auto` finds it out. */
  readonly protocol?: ProtocolChoice
  /** Whether its resources are wanted. */
  readonly resources?: boolean
  /** Which of its own tools there are, by globs over their names; `ask` is about each call. */
  readonly tools?: { readonly include?: Texts; readonly exclude?: Texts; readonly ask?: Texts }
  /** How much one result may hold. */
  readonly budget?: {
    readonly bytes?: number
    readonly blocks?: number
    readonly tools?: Readonly<Record<string, { readonly bytes?: number; readonly blocks?: number }>>
  }
  /** How much it is asked, and when it is left alone. */
  readonly limits?: {
    readonly perMinute?: number
    readonly burst?: number
    readonly inFlight?: number
    readonly failures?: number
    readonly coolDownMs?: number
  }
  /** Globs over the URIs of its resources. */
  readonly resourceFilter?: Texts
  /** Whether what its resources say is in `resourceContext()`; default true. */
  readonly resourceContext?: boolean
  /** Milliseconds after which a resource in the agent's context is read anew; 0 for never. */
  readonly resourceRefreshMs?: number
  /** Whether it may know the directories that are worked on. */
  readonly roots?: boolean
  /** Whether it may ask the agent's model. */
  readonly sampling?: Permission
  /** Whether it may ask the person. */
  readonly elicitation?: Permission
  /** How a model is shown its text. */
  readonly contentMode?: ContentMode
  /** Whether suspicious text is shown. */
  readonly onFinding?: OnFinding | Readonly<Partial<Record<FindingKind, OnFinding>>>
  /** Whether calls are refused whose arguments hold a secret that is not this server's. */
  readonly blockSecretArguments?: boolean
  /** What becomes of tools that are not what was approved. */
  readonly pin?: PinMode
  /** For people: it has no effect. */
  readonly description?: string
}

/** A server that is a process. */
export interface MCPStdioServerConfig extends MCPServerKeys {
  /** May be left out. */
  readonly type?: "stdio" | "auto"
  /** The same as `type`. */
  readonly transport?: "stdio" | "auto"
  /** The program. */
  readonly command: string
  /** Its arguments. */
  readonly args?: Texts
  /** Added to a small base environment; may hold `secret://` references. */
  readonly env?: Values
  /** Its working directory. */
  readonly workingDir?: string
  /** The same as `workingDir`. */
  readonly workingDirectory?: string
  /** The same as `workingDir`. */
  readonly cwd?: string
  /** On Linux: what of the machine it can see. */
  readonly sandbox?:
    | boolean
    | { readonly filesystem?: { readonly read?: Texts; readonly write?: Texts }; readonly network?: boolean }
  /** Names in `env` that are allowed although they can make a program run other code. */
  readonly allowEnv?: Texts
}

/** A server at an address. */
export interface MCPHttpServerConfig extends MCPServerKeys {
  /** May be left out: Streamable HTTP, which falls back to SSE. */
  readonly type?: "streamable-http" | "streamableHttp" | "http" | "sse" | "auto"
  /** The same as `type`. */
  readonly transport?: "streamable-http" | "streamableHttp" | "http" | "sse" | "auto"
  /** Its address. */
  readonly url: string
  /** Sent with every request; may hold `secret://` references. */
  readonly headers?: Values
  /** A credential for every request, or a login. */
  readonly auth?: MCPServerAuth | "oauth"
  /** Whether the address may be private. */
  readonly allowPrivate?: boolean
}

/** A server, by how it is reached. */
export type MCPServerConfig = MCPStdioServerConfig | MCPHttpServerConfig
