/**
 * One configured MCP server, after all dialects, merging and interpolation: what the rest of the runtime sees.
 * References to secrets are still text here; they become values only just before a spawn or a connect.
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
import type { OAuthConfig } from "../login/OAuthConfig.ts"
import { sandboxOf, type SandboxOptions } from "./Sandbox.ts"
import { memoOf } from "../data/Memo.ts"

export interface StdioLaunch {
  readonly kind: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Added to the base environment; nothing else of the host's environment is passed on. */
  readonly env: Readonly<Record<string, string>>
  /** Names in `env` that are allowed although they can make a program run other code (`DangerousEnvironment`). */
  readonly allowEnv?: ReadonlyArray<string>
  /** Absolute. */
  readonly cwd: string | undefined
}

export interface HttpLaunch {
  /** `http` is Streamable HTTP and falls back to SSE on 400, 404 and 405; `sse` is HTTP+SSE of 2024-11-05. */
  readonly kind: "http" | "sse"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How its requests are authorized; when left out a person can log in, if the server offers that. */
  readonly auth?: OAuthConfig | undefined
}

/** How a server is reached: a program with its arguments, or an address. */
export type Launch = StdioLaunch | HttpLaunch

/** How much of one result reaches a model. The rest is kept, to be read on by handle. */
export interface Budget {
  /** Bytes of text over all blocks of one result. */
  readonly bytes: number
  readonly blocks: number
}

/**
 * One MCP server, defaults filled in; `serverConfig` makes one. References to secrets are still text. Times are
 * milliseconds.
 */
export interface ServerConfig extends Schema.Struct.Type<typeof PLAIN> {
  readonly name: string
  readonly enabled: boolean
  readonly launch: Launch
  /** Something that its entry refers to cannot be had: it is never started, and this says why. */
  readonly fault?: ConfigIssue | undefined
  /** Of a stdio server, what it is held to: `true` for the narrowest sandbox, `false` for none. */
  readonly sandbox: boolean | SandboxOptions
  /** Its url must not lead to this machine, by no name. */
  readonly denyLoopback?: boolean | undefined
  /** Stands for the server's name in exposed tool names. */
  readonly toolPrefix: string
  /** Milliseconds without a call after which the server is stopped until the next one; 0 never. */
  readonly idleTtlMs: number
  /** Whether agents with the same launch share one process. */
  readonly share: boolean
  /** Which clients of ours have a process of their own; what is said for all servers when left out. */
  readonly isolate?: Isolation | false | undefined
  /** Whose alone its process is, where it is an agent's or a client's: that of the same entry for others is another one. */
  readonly holder?: string | undefined
  /** Of a server that a session brought along: no other session shares its process, its limits or its secrets. */
  readonly session?: string | undefined
  /** Globs over the server's own tool names; `exclude` wins, and of what `ask` matches a person is asked at each call. */
  readonly tools: {
    readonly include: ReadonlyArray<string>
    readonly exclude: ReadonlyArray<string>
    readonly ask?: ReadonlyArray<string> | undefined
  }
  readonly budget: Budget
  /** Of some tools, by globs over the server's own names; the first match counts. */
  readonly toolBudgets: ReadonlyArray<{ readonly tools: string; readonly budget: Budget }>
  /** How much it is asked, and when it is left alone because it fails. */
  readonly limits: CallLimits
  /** Whether this server may ask the host's model. */
  readonly sampling: boolean
  /** Whether this server may ask the person. */
  readonly elicitation: boolean
  /** How its text is shown, and whether suspicious text is. */
  readonly content: ContentPolicy
}

const PLAIN_DEFAULTS = Schema.decodeUnknownSync(Schema.Struct(PLAIN))({})

/** A server with the defaults of everything but its name and how it is launched. */
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
        // What is declared to the server, and what of its questions is let through: it asks the connection, not an agent.
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
