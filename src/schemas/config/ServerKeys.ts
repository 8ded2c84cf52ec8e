/**
 * Every key that a server entry may have, under every name it goes by. What `ServerConfig` has under the same name (`PLAIN`)
 * comes into it from here, with its type and its default.
 */
import * as Schema from "effect/Schema"
import { PIN_MODES } from "../call/PinMode.ts"
import { CONTENT_MODES } from "../content/ContentPolicy.ts"
import { FINDING_KINDS, type FindingKind } from "../content/Finding.ts"
import {
  CALLS_IN_FLIGHT_MAX,
  CALLS_PER_MINUTE,
  CIRCUIT_COOL_DOWN_MS,
  CIRCUIT_FAILURES
} from "../defaults/CallLimits.ts"
import { RESOURCE_REFRESH_MS } from "../defaults/Catalogue.ts"
import { TIMER_MAX_MS } from "../defaults/Configuration.ts"
import { CALL_TIMEOUT_MS, CONNECT_TIMEOUT_MS, LAZY_IDLE_TTL_MS, MAX_RESTARTS } from "../defaults/Connections.ts"
import { RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../defaults/Results.ts"
import { isObject } from "../data/Json.ts"
import { auth } from "./AuthKeys.ts"
import { kindOf, oneOf, show } from "./Fields.ts"
import {
  args,
  flag,
  globs,
  includedGlobs,
  key,
  milliseconds,
  names,
  optional,
  paths,
  patience,
  scalars,
  text,
  whole,
  word,
  wordOrFlag
} from "./Keys.ts"
import { LIMITS } from "./Limits.ts"
import { noted, notes, notesOf } from "./Notes.ts"

/** Revisions of the protocol that can be demanded; `auto` finds out in one round trip. */
export const PROTOCOLS = ["auto", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const
export type ProtocolChoice = (typeof PROTOCOLS)[number]

export const ISOLATIONS = ["session", "client"] as const
/**
 * `session`: each session of a client over HTTP, and the holder of a token for all requests of a revision without sessions
 * (2026-07-28). `client`: the holder of a token, in all its sessions.
 */
export type Isolation = (typeof ISOLATIONS)[number]

const wait = patience("a positive number of milliseconds", 1, TIMER_MAX_MS)
const millisecondsOrNever = milliseconds("a number of milliseconds, or 0 for never", 0, TIMER_MAX_MS)
const amount = whole("a positive number", 1)

/** In `ServerConfig` as they are. */
export const PLAIN = {
  /** Whether its url may lead to an address that is not public; one on this machine, written as such, always may. */
  allowPrivate: key(
    flag,
    false,
    "sse, http: the url may lead to a private address, also over http://; `localhost` and 127.0.0.1 need no leave"
  ),
  /** Milliseconds for one connection attempt. */
  timeout: key(wait, CONNECT_TIMEOUT_MS, "for one connection attempt", ["connectionTimeoutMs"]),
  /** Milliseconds a call may stay silent. */
  toolTimeout: key(wait, CALL_TIMEOUT_MS, "that a call may stay silent", ["requestTimeoutMs"]),
  /** Whether it is connected again after a loss. */
  restartOnCrash: key(flag, true, "connect again after a loss"),
  /** Restarts within five minutes, after which it is given up. */
  maxRestarts: key(
    whole("0 or a positive number", 0),
    MAX_RESTARTS,
    "restarts within five minutes, after which the server is given up"
  ),
  /** Start at the first use instead of at boot. */
  lazy: key(flag, false, "start at the first listing or call of its tools instead of at boot"),
  /** The revision of MCP; `auto` finds it out. */
  protocol: key(word(PROTOCOLS), "auto", "revision of the protocol"),
  /** Whether resources are discovered. */
  resources: key(flag, true, "discover resources"),
  /** Globs over URIs, after normalising; empty for all. What does not match is neither listed nor read. */
  resourceFilter: key(globs, [], "globs over URIs; what matches none is neither listed nor read; [] takes all"),
  /** Whether its resources go into the agent's context. */
  resourceContext: key(
    flag,
    true,
    "put what its resources say in front of the agent's conversation, within 64 KiB for all servers; tools read them either way"
  ),
  /** Milliseconds after which a resource in the agent's context is read anew, unless its server says so before; 0 never. */
  resourceRefreshMs: key(
    millisecondsOrNever,
    RESOURCE_REFRESH_MS,
    "then a resource in the agent's context is read anew, unless the server says before that it changed; 0 never"
  ),
  /** Whether this server may know the roots of the workspace. */
  roots: key(flag, true, "the server may know the directories that are worked on"),
  /** Whether calls are refused whose arguments hold a secret that was not handed to this server. */
  blockSecretArguments: key(flag, true, "refuse calls whose arguments hold a secret that is not this server's"),
  /** What becomes of tools whose definition is not the one that was approved. */
  pin: key(
    word(PIN_MODES),
    "warn",
    "tools that are not what was approved are reported and work, or are withheld until `mcp-live pins approve`; `off` keeps nothing"
  )
}

const sandbox = Schema.Union([
  flag,
  Schema.Struct({
    filesystem: optional(
      Schema.Struct({
        read: optional(paths, "[]", "paths that it can read"),
        write: optional(paths, "[]", "paths that it can read and write")
      }),
      "nothing",
      "what of the machine it can see besides its own program"
    ),
    network: optional(flag, "false", "whether it has a network")
  })
]).annotate(
  notes({
    problem: (value) =>
      typeof value === "boolean" || isObject(value)
        ? undefined
        : `must be true, false or an object, is ${kindOf(value)}`
  })
)

/** What is done about a finding. */
export const FINDING = word(["report", "withhold"])

const onFinding = Schema.Union([
  FINDING,
  Schema.Struct(
    Object.fromEntries(
      FINDING_KINDS.map((kind) => [kind, optional(FINDING, '"report"', `what is done about \`${kind}\``)])
    ) as Record<FindingKind, Schema.optionalKey<typeof FINDING>>
  ).annotate(notes({ unknown: `unknown kind of finding: there are ${FINDING_KINDS.join(", ")}` }))
]).annotate(
  notes({
    problem: (value) => {
      if (typeof value === "string") return `must be "report" or "withhold", is ${show(value)}`
      return isObject(value)
        ? undefined
        : `must be "report", "withhold" or an object with kinds of findings, is ${show(value)}`
    }
  })
)

/** Keys whose members merge one by one. */
export const GROUPS = {
  tools: {
    include: optional(includedGlobs, "all", "globs over the tools that there are"),
    exclude: optional(globs, "[]", "of these, the ones that are left out; it wins"),
    ask: optional(globs, "[]", "of these, the ones that need the approval of a person at each call")
  },
  budget: {
    bytes: optional(noted(amount, { written: "bytes" }), `${RESULT_MAX_BYTES}`, "of text, over all its blocks"),
    blocks: optional(amount, `${RESULT_MAX_BLOCKS}`, "of content"),
    tools: optional(
      Schema.Record(
        Schema.String,
        Schema.Struct({
          bytes: optional(noted(amount, { written: "bytes" }), "the server's", "of text, over all its blocks"),
          blocks: optional(amount, "the server's", "of content")
        })
      ),
      "{}",
      "the same of some tools, by globs over their own names; the first match counts"
    )
  },
  limits: {
    perMinute: optional(LIMITS.perMinute, `${CALLS_PER_MINUTE}`, "calls of each agent in a minute; 0 for any number"),
    burst: optional(LIMITS.burst, "as `perMinute`", "calls of each agent that may come at once"),
    inFlight: optional(LIMITS.inFlight, `${CALLS_IN_FLIGHT_MAX}`, "calls at a time, of all agents together"),
    failures: optional(
      LIMITS.failures,
      `${CIRCUIT_FAILURES}`,
      "failures in a row after which the server is left alone; 0 for never"
    ),
    coolDownMs: optional(
      noted(LIMITS.coolDownMs, { written: "milliseconds" }),
      `${CIRCUIT_COOL_DOWN_MS}`,
      "until one call may try whether it is back"
    )
  }
}

const TRANSPORTS = ["stdio", "sse", "http", "auto", "streamable-http", "streamableHttp"] as const
const TRANSPORT_CHOICE = '"stdio", "sse", "http" ("streamable-http" says the same) or "auto"'

export const SERVER_KEYS = {
  /** `false` switches the server off. */
  enabled: key(flag, true, "false switches the server off; `disabled: true` says the same", ["disabled"]),
  transport: optional(
    noted(word(TRANSPORTS, TRANSPORT_CHOICE), { written: '"stdio" | "sse" | "http" | "auto"' }),
    "http with a url, else stdio",
    "how to reach the server; `streamable-http` is another name of `http`, which falls back to SSE; `auto` is the default",
    ["type"]
  ),
  command: optional(text, "", "stdio: the program; a relative path counts from `cwd`, else from the config file"),
  /** Its arguments. */
  args: key(args, [], "stdio: its arguments; a leading `~/` is the home directory"),
  /** Added to a small base environment; may hold `secret://` references. */
  env: key(
    noted(scalars, { written: "{ name: string | number | boolean }" }),
    {},
    "stdio: environment, may hold `secret://` references"
  ),
  /** Its working directory. */
  cwd: optional(text, "", "stdio: working directory, relative to the config file", ["workingDirectory", "workingDir"]),
  /** On Linux: what of the machine it can see. */
  sandbox: optional(
    sandbox,
    "false",
    "stdio on Linux: only its own program and what is listed can be seen, no network unless allowed; needs bubblewrap"
  ),
  /** Names in `env` that are allowed although they can make a program run other code. */
  allowEnv: key(names, [], "stdio: names in `env` that are allowed although they can make a program run other code"),
  url: optional(text, "", "sse, http: address of the server"),
  /** Sent with every request; may hold `secret://` references. */
  headers: key(
    noted(scalars, { written: "{ name: string | number | boolean }" }),
    {},
    "sse, http: may hold `secret://` references"
  ),
  /** A credential for every request, or a login. */
  auth: optional(
    noted(auth, { written: '"oauth" | object' }),
    "a login, where the server asks for one",
    'sse, http: `{ type: "bearer", token }`, `{ type: "api-key", key }` or `{ type: "oauth", … }`, [OAuth 2.1](oauth.md#configuration)'
  ),
  ...PLAIN,
  /** Stands for the server's name in the names of its tools. */
  toolPrefix: optional(text, "the server's name", "stands for the server in tool names"),
  /** Milliseconds without a call after which it sleeps until the next one; 0 for never. */
  idleTtlMs: optional(
    millisecondsOrNever,
    `${LAZY_IDLE_TTL_MS} when lazy, else 0`,
    "without a call, then the server sleeps until the next one; 0 never"
  ),
  /** Who shares its process. */
  share: key(
    wordOrFlag(ISOLATIONS, `true, false, ${oneOf(ISOLATIONS)}`),
    true,
    "agents with the same entry share one process; or each client of `mcp-live serve` over HTTP has its own, in each session or in all"
  ),
  /** Which of its own tools there are, by globs over their names; `ask` is about each call. */
  tools: optional(Schema.Struct(GROUPS.tools), "all", "which tools there are, by globs over their names", [
    "toolFilter"
  ]),
  /** How much one result may hold. */
  budget: optional(Schema.Struct(GROUPS.budget), "{}", "how much of one result a model is shown"),
  /** How much it is asked, and when it is left alone. */
  limits: optional(Schema.Struct(GROUPS.limits), "{}", "on calls"),
  /** Whether it may ask the agent's model. */
  sampling: key(
    wordOrFlag(["allow", "deny"], '"allow" or "deny"'),
    "deny",
    "the server may ask the agent's model; true and false say the same"
  ),
  /** Whether it may ask the person. */
  elicitation: key(
    wordOrFlag(["allow", "deny"], '"allow" or "deny"'),
    "allow",
    "the server may ask the person; true and false say the same"
  ),
  /** How a model is shown its text. */
  contentMode: key(
    word(CONTENT_MODES),
    "delimit",
    "how a model is shown its text: between boundaries, and there as it is, with a mark before every word, or as base64; `trusted`, for a server of your own: cleaned, but not wrapped"
  ),
  /** Whether suspicious text is shown. */
  onFinding: key(
    noted(onFinding, { written: '"report" | "withhold" | object' }),
    "report",
    "suspicious text is shown and reported, or not shown; one word for all, or an object with words for some kinds"
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
