/**
 * One configured MCP server, after dialects, merging and interpolation, as the rest of the runtime sees it. References to secrets are still
 * text; they are resolved just before a process is started or an address is contacted.
 */
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { DEFAULT_CALL_LIMITS, type CallLimits } from "../call/CallLimits.ts"
import { DEFAULT_CONTENT_POLICY, type ContentPolicy } from "../content/ContentPolicy.ts"
import { LAZY_IDLE_TTL_MS } from "../defaults/Connections.ts"
import { RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../defaults/Results.ts"
import type { ConfigIssue } from "../config/ConfigIssue.ts"
import { type Isolation, PLAIN } from "../config/ServerKeys.ts"
import { canonical } from "../data/Json.ts"
import type { Person } from "../login/Identity.ts"
import type { OAuthConfig } from "../login/OAuthConfig.ts"
import { sandboxOf, type SandboxOptions } from "./Sandbox.ts"
import { memoOf } from "../data/Memo.ts"

export interface StdioLaunch {
  readonly kind: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Added to the base environment. Nothing else of the host's environment is passed on. */
  readonly env: Readonly<Record<string, string>>
  /** Names in `env` that are allowed although they can make a program run foreign code (`DangerousEnvironment`). */
  readonly allowEnv?: ReadonlyArray<string>
  /** An absolute path. */
  readonly cwd: string | undefined
}

export interface HttpLaunch {
  /** `http` is Streamable HTTP and falls back to SSE on 400, 404 and 405; `sse` is HTTP+SSE of 2024-11-05. */
  readonly kind: "http" | "sse"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How its requests are authorized. By default a person can log in, if the server offers that. */
  readonly auth?: OAuthConfig | undefined
}

/** How a server is reached: a program with its arguments, or an address. */
export type Launch = StdioLaunch | HttpLaunch

/** How much of one result reaches a model. The rest is kept and can be read with a handle. */
export interface Budget {
  /** Bytes of text in all blocks of one result. */
  readonly bytes: number
  readonly blocks: number
}

/**
 * One MCP server with all defaults; `serverConfig` makes one. References to secrets are still text. Times are in milliseconds.
 */
export interface ServerConfig extends Schema.Struct.Type<typeof PLAIN> {
  readonly name: string
  readonly enabled: boolean
  readonly launch: Launch
  /** Why the server is never started: something that its entry refers to is missing. */
  readonly fault?: ConfigIssue | undefined
  /** For a stdio server: `true` for the narrowest sandbox, `false` for none. */
  readonly sandbox: boolean | SandboxOptions
  /** Its url must not lead to this machine, by any name. */
  readonly denyLoopback?: boolean | undefined
  /** Replaces the server's name in exposed tool names. */
  readonly toolPrefix: string
  /** The server is stopped after this time without a call, until the next call; 0 means never. */
  readonly idleTtlMs: number
  /** Whether agents with the same launch share one process. */
  readonly share: boolean
  /** Which clients have a process of their own; by default the choice for all servers. */
  readonly isolate?: Isolation | false | undefined
  /** The agent or client that has the process for itself; others with the same entry have other processes. */
  readonly holder?: string | undefined
  /** The launch as it is written, where `launch` was made for a person of it. */
  readonly written?: Launch | undefined
  /** The person who has it alone, with secrets and logins of their own. */
  readonly person?: Person | undefined
  /** The session that brought the server. No other session shares its process, limits or secrets. */
  readonly session?: string | undefined
  /** Globs for the server's own tool names. `exclude` takes precedence; `ask` requires approval of each call. */
  readonly tools: {
    readonly include: ReadonlyArray<string>
    readonly exclude: ReadonlyArray<string>
    readonly ask?: ReadonlyArray<string> | undefined
    /** Who approves these calls, in place of the person whose call it is. */
    readonly approvers?: ReadonlyArray<string> | undefined
  }
  readonly budget: Budget
  /** For some tools, by globs for the server's own names. The first match counts. */
  readonly toolBudgets: ReadonlyArray<{ readonly tools: string; readonly budget: Budget }>
  /** Rate limits, and when calls stop because they fail. */
  readonly limits: CallLimits
  /** Whether this server may ask the host's model. */
  readonly sampling: boolean
  /** Whether this server may ask the person. */
  readonly elicitation: boolean
  /** How its text is shown, and whether suspicious text is shown at all. */
  readonly content: ContentPolicy
}

const PLAIN_DEFAULTS = Schema.decodeUnknownSync(Schema.Struct(PLAIN))({})

/** A server with defaults for everything but its name and launch. */
export const serverConfig = (name: string, launch: Launch, given: Partial<ServerConfig> = {}): ServerConfig => ({
  name,
  enabled: true,
  launch,
  ...PLAIN_DEFAULTS,
  sandbox: false,
  toolPrefix: name,
  idleTtlMs: given.lazy === true ? LAZY_IDLE_TTL_MS : 0,
  share: true,
  tools: { include: ["*"], exclude: [] },
  budget: { bytes: RESULT_MAX_BYTES, blocks: RESULT_MAX_BLOCKS },
  toolBudgets: [],
  limits: DEFAULT_CALL_LIMITS,
  sampling: false,
  elicitation: true,
  content: DEFAULT_CONTENT_POLICY,
  ...given
})

/** Equal for two configurations exactly when one process or HTTP session can serve both, whoever may be its holder. */
export const fingerprint = (config: ServerConfig): string =>
  createHash("sha256")
    .update(
      canonical({
        // The name is part of it: it stands in results, logs and errors of the shared connection.
        name: config.name,
        session: config.session ?? null,
        ...(config.person === undefined ? {} : { person: [config.person.issuer, config.person.subject] }),
        launch:
          config.launch.kind === "stdio" ? config.launch : { ...config.launch, headers: plainHeaders(config.launch) },
        sandbox: sandboxOf(config.sandbox) ?? null,
        protocol: config.protocol,
        allowPrivate: config.allowPrivate,
        ...(config.denyLoopback === true ? { denyLoopback: true } : {}),
        ...(config.fault === undefined ? {} : { fault: [config.fault.path, config.fault.message] }),
        timeout: config.timeout,
        restartOnCrash: config.restartOnCrash,
        maxRestarts: config.maxRestarts,
        lazy: config.lazy,
        idleTtlMs: config.idleTtlMs,
        resources: config.resources,
        // What the host offers to the server: the server asks on the connection, not on behalf of an agent.
        host: [config.roots, config.sampling, config.elicitation, config.content.withhold.toSorted()]
      })
    )
    .digest("hex")

/**
 * Who owns the secrets that a server is given: whoever shares its process, those who have another one of the same entry, and
 * no other server that happens to have its name. The name and, behind a line break, a part of the fingerprint: no server's name holds one.
 */
export const ownerOf = memoOf((config: ServerConfig): string => `${config.name}\n${fingerprint(config).slice(0, 16)}`)

/** The name of the server in what `ownerOf` gives; anything else stays what it is. */
export const serverOfOwner = (owner: string): string => owner.replace(/\n[0-9a-f]{16}$/, "")

/** Header names mean the same in any case. */
function plainHeaders({ headers }: HttpLaunch) {
  return Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}
