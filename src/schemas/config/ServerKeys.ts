/**
 * Every key that a server entry may have, under every name it goes by, and what is said about keys of other programs.
 * The table holds what a reference page needs, too: type, default and meaning.
 */
import { CONTENT_MODES } from "../content/ContentPolicy.ts"
import {
  CALLS_IN_FLIGHT_MAX,
  CALLS_PER_MINUTE,
  CIRCUIT_COOL_DOWN_MS,
  CIRCUIT_FAILURES
} from "../defaults/CallLimits.ts"
import { RESOURCE_REFRESH_MS } from "../defaults/Catalogue.ts"
import { CALL_TIMEOUT_MS, CONNECT_TIMEOUT_MS, LAZY_IDLE_TTL_MS, MAX_RESTARTS } from "../defaults/Connections.ts"
import { RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../defaults/Results.ts"
import { FINDING_KINDS } from "../content/Finding.ts"
import { ISOLATIONS } from "../connection/Isolation.ts"
import { PIN_MODES } from "../call/PinMode.ts"
import { PROTOCOLS } from "../connection/ServerConfig.ts"

export interface KeyDoc {
  readonly aliases: ReadonlyArray<string>
  readonly type: string
  /** As a reader would write it; empty where there is none. */
  readonly fallback: string
  readonly about: string
}

const key = (type: string, fallback: string, about: string, aliases: ReadonlyArray<string> = []): KeyDoc => ({
  aliases,
  type,
  fallback,
  about
})

export const SERVER_KEYS = {
  enabled: key("boolean", "true", "false switches the server off; `disabled: true` says the same", ["disabled"]),
  transport: key(
    '"stdio" | "sse" | "http" | "auto"',
    "http with a url, else stdio",
    "how to reach the server; `streamable-http` is another name of `http`, which falls back to SSE; `auto` is the default",
    ["type"]
  ),
  command: key("string", "", "stdio: the program; a relative path counts from `cwd`, else from the config file"),
  args: key("string[]", "[]", "stdio: its arguments; a leading `~/` is the home directory"),
  env: key("{ name: string | number | boolean }", "{}", "stdio: environment, may hold `secret://` references"),
  cwd: key("string", "", "stdio: working directory, relative to the config file", ["workingDirectory", "workingDir"]),
  sandbox: key(
    "boolean | { filesystem?: { read?: string[], write?: string[] }, network?: boolean }",
    "false",
    "stdio on Linux: only its own program and what is listed can be seen, no network unless allowed; needs bubblewrap"
  ),
  url: key("string", "", "sse, http: address of the server"),
  headers: key("{ name: string | number | boolean }", "{}", "sse, http: may hold `secret://` references"),
  allowPrivate: key(
    "boolean",
    "false",
    "sse, http: the url may lead to a private address, also over http://; `localhost` and 127.0.0.1 need no leave"
  ),
  auth: key(
    '{ type: "bearer", token }, { type: "api-key", key } or { type: "oauth", … }',
    "a login, where the server asks for one",
    "sse, http: a token as `Authorization: Bearer`, a key as `X-API-Key`, or OAuth 2.1 with the keys of docs/oauth.md"
  ),
  timeout: key("milliseconds", `${CONNECT_TIMEOUT_MS}`, "for one connection attempt", ["connectionTimeoutMs"]),
  toolTimeout: key("milliseconds", `${CALL_TIMEOUT_MS}`, "that a call may stay silent", ["requestTimeoutMs"]),
  restartOnCrash: key("boolean", "true", "connect again after a loss"),
  maxRestarts: key("number", `${MAX_RESTARTS}`, "restarts within five minutes, after which the server is given up"),
  toolPrefix: key("string", "the server's name", "stands for the server in tool names"),
  lazy: key("boolean", "false", "start at the first listing or call of its tools instead of at boot"),
  idleTtlMs: key(
    "milliseconds",
    `${LAZY_IDLE_TTL_MS} when lazy, else 0`,
    "without a call, then the server sleeps until the next one; 0 never"
  ),
  share: key(
    `boolean | ${ISOLATIONS.map((one) => `"${one}"`).join(" | ")}`,
    "true",
    "agents with the same entry share one process; or each client of `mcp-live serve` over HTTP has its own, in each session or in all"
  ),
  protocol: key(PROTOCOLS.map((choice) => `"${choice}"`).join(" | "), '"auto"', "revision of the protocol"),
  resources: key("boolean", "true", "discover resources"),
  resourceFilter: key("string[]", "[]", "globs over URIs; what matches none is neither listed nor read; [] takes all"),
  resourceContext: key(
    "boolean",
    "true",
    "put what its resources say in front of the agent's conversation, within 64 KiB for all servers; tools read them either way"
  ),
  resourceRefreshMs: key(
    "milliseconds",
    `${RESOURCE_REFRESH_MS}`,
    "then a resource in the agent's context is read anew, unless the server says before that it changed; 0 never"
  ),
  tools: key(
    "{ include?: string[], exclude?: string[], ask?: string[] }",
    "all",
    "globs over tool names; exclude wins; what `ask` matches needs the approval of a person at each call",
    ["toolFilter"]
  ),
  budget: key(
    "{ bytes?: number, blocks?: number, tools?: { glob: { bytes?, blocks? } } }",
    `{ bytes: ${RESULT_MAX_BYTES}, blocks: ${RESULT_MAX_BLOCKS} }`,
    "of one result, over all its blocks; `tools`: of some tools, by globs over their own names, the first match counts"
  ),
  limits: key(
    "{ perMinute?: number, burst?: number, inFlight?: number, failures?: number, coolDownMs?: number }",
    `{ perMinute: ${CALLS_PER_MINUTE}, burst: ${CALLS_PER_MINUTE}, inFlight: ${CALLS_IN_FLIGHT_MAX}, failures: ${CIRCUIT_FAILURES}, coolDownMs: ${CIRCUIT_COOL_DOWN_MS} }`,
    "on calls: of each agent in a minute (0: any number) and at once; in flight at a time; failures in a row after which the server is left alone (0: never), for so many milliseconds"
  ),
  roots: key("boolean", "true", "the server may know the directories that are worked on"),
  sampling: key('"allow" | "deny"', '"deny"', "the server may ask the agent's model; true and false say the same"),
  elicitation: key('"allow" | "deny"', '"allow"', "the server may ask the person; true and false say the same"),
  contentMode: key(
    CONTENT_MODES.map((mode) => `"${mode}"`).join(" | "),
    '"delimit"',
    "how a model is shown its text: between boundaries, and there as it is, with a mark before every word, or as base64; `trusted`, for a server of your own: cleaned, but not wrapped"
  ),
  onFinding: key(
    '"report" | "withhold" | { kind: "report" | "withhold" }',
    '"report"',
    `suspicious text is shown and reported, or not shown; for each kind: ${FINDING_KINDS.map((kind) => `\`${kind}\``).join(", ")}`
  ),
  blockSecretArguments: key("boolean", "true", "refuse calls whose arguments hold a secret that is not this server's"),
  pin: key(
    PIN_MODES.map((mode) => `"${mode}"`).join(" | "),
    '"warn"',
    "tools that are not what was approved are reported and work, or are withheld until `mcp-live pins approve`; `off` keeps nothing"
  ),
  allowEnv: key(
    "string[]",
    "[]",
    "stdio: names in `env` that are allowed although they can make a program run other code"
  )
} satisfies Record<string, KeyDoc>

export type ServerKey = keyof typeof SERVER_KEYS

const isServerKey = (name: string): name is ServerKey => Object.hasOwn(SERVER_KEYS, name)

const CANONICAL: ReadonlyMap<string, ServerKey> = new Map(
  Object.entries(SERVER_KEYS).flatMap(([name, { aliases }]) =>
    isServerKey(name) ? [name, ...aliases].map((alias) => [alias, name] as const) : []
  )
)

/** Every accepted spelling. */
export const SERVER_KEY_NAMES: ReadonlyArray<string> = [...CANONICAL.keys()]

export const canonicalKey = (name: string): ServerKey | undefined => CANONICAL.get(name)

/**
 * `openclaw` entries stand under `mcp.servers`; `mcpServers` entries are written for many programs, each of which has
 * keys of its own.
 */
export type Dialect = "openclaw" | "mcpServers"

const OPENCLAW_INERT = ["supportsParallelToolCalls", "codex", "description"]
const INERT: Record<Dialect, ReadonlySet<string>> = {
  openclaw: new Set(OPENCLAW_INERT),
  mcpServers: new Set([...OPENCLAW_INERT, "autoApprove", "alwaysAllow", "icon", "gallery", "dev"])
}

/** Known elsewhere, and safe to leave out of account. */
export const isInert = (dialect: Dialect, name: string): boolean => INERT[dialect].has(name)

/** Known elsewhere, but who writes them relies on them: to ignore them would weaken what the operator meant. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ["oauth", 'write auth: { type: "oauth", … }'],
  ["sslVerify", "certificates are always verified"],
  ["clientCert", "client certificates cannot be presented"],
  ["clientKey", "client certificates cannot be presented"],
  ["envFile", "put the variables in env, as ${NAME} or as secret:// references"]
])

export const unsupportedKey = (name: string): string | undefined => {
  const instead = UNSUPPORTED.get(name)
  return instead === undefined ? undefined : `is not supported: ${instead}`
}
