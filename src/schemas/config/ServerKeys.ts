/**
 * All keys of a server entry, under all their names. Keys that `ServerConfig` has under the same name (`PLAIN`) define its
 * types and defaults as well.
 */
import * as Schema from "effect/Schema"
import { PIN_MODES } from "../call/PinMode.ts"
import { CONTENT_MODES } from "../content/ContentPolicy.ts"
import { RESOURCE_REFRESH_MS } from "../defaults/Catalogue.ts"
import { TIMER_MAX_MS } from "../defaults/Configuration.ts"
import { CALL_TIMEOUT_MS, CONNECT_TIMEOUT_MS, LAZY_IDLE_TTL_MS, MAX_RESTARTS } from "../defaults/Connections.ts"
import { auth } from "./AuthKeys.ts"
import {
  args,
  flag,
  globs,
  key,
  milliseconds,
  names,
  optional,
  patience,
  scalars,
  text,
  whole,
  word,
  wordOrFlag
} from "./Keys.ts"
import { noted, notesOf } from "./Notes.ts"
import { GROUPS, onFinding, sandbox } from "./ServerParts.ts"

/** The protocol revisions that can be demanded; `auto` negotiates in one round trip. */
export const PROTOCOLS = ["auto", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const
export type ProtocolChoice = (typeof PROTOCOLS)[number]

export const ISOLATIONS = ["session", "client", "person"] as const
/**
 * `session`: each session of a client over HTTP has its own server; with a revision without sessions (2026-07-28), each token
 * has. `client`: each token has its own server, over all its sessions. `person`: each person who logged in has, over all their clients;
 * a client without a person has its own.
 */
export type Isolation = (typeof ISOLATIONS)[number]

const wait = patience("a positive number of milliseconds", 1, TIMER_MAX_MS)
const millisecondsOrNever = milliseconds("a number of milliseconds, or 0 for never", 0, TIMER_MAX_MS)

/** Copied to `ServerConfig` unchanged. */
export const PLAIN = {
  /** Whether its URL may lead to an address that is not public. A loopback address that is written as such is always allowed. */
  allowPrivate: key(
    flag,
    false,
    "sse, http: allow a private address, also over http://; `localhost` and 127.0.0.1 are always allowed"
  ),
  /** Milliseconds for one connection attempt. */
  timeout: key(wait, CONNECT_TIMEOUT_MS, "the time limit of one connection attempt", ["connectionTimeoutMs"]),
  /** How long a call may be silent, in milliseconds. */
  toolTimeout: key(wait, CALL_TIMEOUT_MS, "how long a call may report nothing before it is cancelled", [
    "requestTimeoutMs"
  ]),
  /** Whether it is connected again after a loss. */
  restartOnCrash: key(flag, true, "whether to reconnect after the connection is lost"),
  /** Restarts within five minutes after which it has failed for good. */
  maxRestarts: key(
    whole("0 or a positive number", 0),
    MAX_RESTARTS,
    "the number of restarts within five minutes after which mcp-live gives up"
  ),
  /** Start at the first use instead of with the gateway. */
  lazy: key(flag, false, "start the server at the first listing or call of its tools, not with the gateway"),
  /** The revision of MCP; `auto` negotiates it. */
  protocol: key(word(PROTOCOLS), "auto", "the protocol revision to demand; `auto` negotiates it"),
  /** Whether resources are discovered. */
  resources: key(flag, true, "whether to discover resources"),
  /** Globs over normalized URIs; empty allows all. Other resources are neither listed nor read. */
  resourceFilter: key(
    globs,
    [],
    "globs over URIs; resources that match none are neither listed nor read; [] allows all"
  ),
  /** Whether its resources go into the agent's context. */
  resourceContext: key(
    flag,
    true,
    "whether the content of its resources is put before the agent's conversation, 64 KiB for all servers together; the resource tools work either way"
  ),
  /**
   * Milliseconds after which a resource in the agent's context is read again, unless the server reports a change before; 0
   * means never.
   */
  resourceRefreshMs: key(
    millisecondsOrNever,
    RESOURCE_REFRESH_MS,
    "after this time a resource in the agent's context is read again, or earlier if the server reports a change; 0: never"
  ),
  /** Whether this server gets the roots of the workspace. */
  roots: key(flag, true, "whether the server may ask for the workspace directories (roots)"),
  /** Whether calls are refused whose arguments contain another server's secret. */
  blockSecretArguments: key(flag, true, "refuse calls whose arguments contain a secret of another server"),
  /** What happens to tools whose definition differs from the approved one. */
  pin: key(
    word(PIN_MODES),
    "warn",
    "what happens to tools whose definition changed: `warn` reports them, `block` withholds them until `mcp-live pins approve`, `off` does not pin"
  )
}

const TRANSPORTS = ["stdio", "sse", "http", "auto", "streamable-http", "streamableHttp"] as const
const TRANSPORT_CHOICE = '"stdio", "sse", "http" ("streamable-http" means the same) or "auto"'

export const SERVER_KEYS = {
  /** `false` disables the server. */
  enabled: key(flag, true, "false disables the server; `disabled: true` means the same", ["disabled"]),
  transport: optional(
    noted(word(TRANSPORTS, TRANSPORT_CHOICE), { written: '"stdio" | "sse" | "http" | "auto"' }),
    "http with a url, else stdio",
    "how to reach the server; `streamable-http` is another name of `http`, which falls back to SSE; `auto` is the default",
    ["type"]
  ),
  command: optional(text, "", "stdio: the program; a relative path counts from `cwd`, else from the config file"),
  /** Its arguments. */
  args: key(args, [], "stdio: its arguments; a leading `~/` is the home directory"),
  /** Added to a small base environment; may contain `secret://` references. */
  env: key(
    noted(scalars, { written: "{ name: string | number | boolean }" }),
    {},
    "stdio: environment variables; may contain `secret://` references"
  ),
  /** Its working directory. */
  cwd: optional(text, "", "stdio: working directory, relative to the config file", ["workingDirectory", "workingDir"]),
  /** On Linux: which part of the machine it can see. */
  sandbox: optional(
    sandbox,
    "false",
    "stdio on Linux: the server sees only its own program and the listed paths, and has no network unless allowed; needs bubblewrap"
  ),
  /** Names in `env` that are allowed although they can make a program run other code. */
  allowEnv: key(names, [], "stdio: names in `env` to allow although they can make a program run other code"),
  url: optional(text, "", "sse, http: address of the server"),
  /** Sent with every request; may contain `secret://` references. */
  headers: key(
    noted(scalars, { written: "{ name: string | number | boolean }" }),
    {},
    "sse, http: headers of every request; may contain `secret://` references"
  ),
  /** A credential for every request, or a login. */
  auth: optional(
    noted(auth, { written: '"oauth" | object' }),
    "a login, if the server requires one",
    'sse, http: `{ type: "bearer", token }`, `{ type: "api-key", key }` or `{ type: "oauth", … }`, [OAuth 2.1](oauth.md#configuration)'
  ),
  ...PLAIN,
  /** Replaces the server's name in the names of its tools. */
  toolPrefix: optional(text, "the server's name", "replaces the server's name in tool names"),
  /** Milliseconds without a call after which it is stopped until the next one; 0 means never. */
  idleTtlMs: optional(
    millisecondsOrNever,
    `${LAZY_IDLE_TTL_MS} when lazy, else 0`,
    "the time without a call after which the server is stopped until the next one; 0: never"
  ),
  /** Who shares its process. */
  share: key(
    wordOrFlag(ISOLATIONS, 'true, false, "session", "client" or "person"'),
    true,
    "whether agents with the same entry share one process; or each session, client or person of `mcp-live serve` over HTTP has its own"
  ),
  /** Which of its tools are offered, by globs over their names; `ask` requires approval for each call. */
  tools: optional(Schema.Struct(GROUPS.tools), "all", "which tools to offer, by globs over their names", [
    "toolFilter"
  ]),
  /** How large one result may be. */
  budget: optional(Schema.Struct(GROUPS.budget), "{}", "how much of one result the model sees"),
  /** The limits for its calls. */
  limits: optional(Schema.Struct(GROUPS.limits), "{}", "rate limits and the circuit breaker"),
  /** Whether it may ask the agent's model. */
  sampling: key(
    wordOrFlag(["allow", "deny"], '"allow" or "deny"'),
    "deny",
    "whether the server may ask the agent's model; true and false mean the same"
  ),
  /** Whether it may ask the person. */
  elicitation: key(
    wordOrFlag(["allow", "deny"], '"allow" or "deny"'),
    "allow",
    "whether the server may ask the person; true and false mean the same"
  ),
  /** How a model sees its text. */
  contentMode: key(
    word(CONTENT_MODES),
    "delimit",
    "how the model sees the server's text: between boundaries as it is (`delimit`), with a mark before every word (`datamark`), as base64 (`encode`); `trusted`, for your own servers: cleaned, but without boundaries"
  ),
  /** Whether suspicious text is shown. */
  onFinding: key(
    noted(onFinding, { written: '"report" | "withhold" | object' }),
    "report",
    "what happens to suspicious text: `report` shows and reports it, `withhold` does not show it; one word for all kinds, or an object with words for some"
  )
}

export type ServerKey = keyof typeof SERVER_KEYS

/** Other names of a key. */
export const aliasesOf = (name: ServerKey): ReadonlyArray<string> => notesOf(SERVER_KEYS[name].ast).aliases ?? []

const CANONICAL: ReadonlyMap<string, ServerKey> = new Map(
  (Object.keys(SERVER_KEYS) as ReadonlyArray<ServerKey>).flatMap((name) =>
    [name, ...aliasesOf(name)].map((alias) => [alias, name] as const)
  )
)

/** Every accepted spelling. */
export const SERVER_KEY_NAMES: ReadonlyArray<string> = [...CANONICAL.keys()]

export const canonicalKey = (name: string): ServerKey | undefined => CANONICAL.get(name)
