/** What `doctor` gathers before it judges. A fact that was not looked at, or could not be had, is `undefined`. */
import type { Finding } from "./Finding.ts"
import type { DoctorReport } from "../agent/openclaw/doctor/report.ts"
import type { ServerConfig } from "../connection/ServerConfig.ts"
import type { ServerStatus } from "../connection/ServerState.ts"
import type { CallFigures } from "../control/Figures.ts"
import type { JsonObject } from "../data/Json.ts"

/** A package that a runner such as `npx` fetches before it starts the server. */
export interface PackageFacts {
  readonly runner: string
  readonly name: string
  /** Whether the entry names one exact version. */
  readonly pinned: boolean
  /** Whether it is on this machine already; `undefined` if that cannot be known. */
  readonly cached: boolean | undefined
  /** The version on this machine. */
  readonly version: string | undefined
}

/** The version of the runtime that a server needs: `node` for `npx`, `uv` for `uvx`. */
export interface RuntimeFacts {
  readonly name: string
  /** `undefined` if it does not tell. */
  readonly version: string | undefined
  /** The oldest version that the server's own package accepts, as its `engines` say. */
  readonly needs: string | undefined
}

/** The answer of an address to one request without credentials. */
export interface AddressFacts {
  /** Without query and user. */
  readonly origin: string
  /** The code of the error when there was no answer: `ECONNREFUSED`, `CERT_HAS_EXPIRED`, … */
  readonly code: string | undefined
  readonly status: number | undefined
  /** The clock of the server minus ours, by its `Date`. */
  readonly clockOffMs: number | undefined
}

export type LoginFacts =
  | { readonly _tag: "None" }
  | { readonly _tag: "Unreadable"; readonly detail: string }
  /** Without `expiresAt`, the server did not say when. */
  | { readonly _tag: "Stored"; readonly expiresAt: number | undefined; readonly renewable: boolean }

export interface ToolFacts {
  /** Its exposed name. */
  readonly name: string
  /** The server's own name. */
  readonly tool: string
  readonly server: string
  readonly parameters: JsonObject
}

/** What the server wrote and did in the time that was looked at. */
export interface LogFacts {
  /** Lines on stderr. */
  readonly lines: number
  readonly overMs: number
  /** The newest ones, of every source. */
  readonly last: ReadonlyArray<string>
}

export interface ServerFacts {
  readonly config: ServerConfig
  /** Its command; `found` is the file that would run. */
  readonly program?: { readonly name: string; readonly found: string | undefined } | undefined
  readonly runtime?: RuntimeFacts | undefined
  readonly fetched?: PackageFacts | undefined
  readonly address?: AddressFacts | undefined
  readonly login?: LoginFacts | undefined
  /** From the running gateway, or after one start. */
  readonly status?: ServerStatus | undefined
  /** Of the running gateway. */
  readonly calls?: CallFigures | undefined
  readonly log?: LogFacts | undefined
}

/** A reference without a value. */
export interface SecretFacts {
  /** `null` for the model of an agent. */
  readonly server: string | null
  readonly place: string
  readonly reference: string
  readonly reason: string
}

/** A file or directory of ours that others can use. */
export interface OpenPath {
  readonly path: string
  readonly mode: number
  /** The mode that it should have. */
  readonly wanted: number
}

export interface DataFacts {
  readonly path: string
  readonly exists: boolean
  readonly othersOwn: boolean
  /** What in it belongs to another user. */
  readonly others: ReadonlyArray<string>
  readonly writable: boolean
  readonly freeBytes: number | undefined
  readonly open: ReadonlyArray<OpenPath>
}

/** What a process that is gone has left. */
export interface LeftFacts {
  /** Files and sockets that announce gateways. */
  readonly gateways: ReadonlyArray<string>
  readonly locks: ReadonlyArray<string>
  readonly temporary: ReadonlyArray<string>
  /** Processes of servers. */
  readonly processes: ReadonlyArray<number>
}

export interface PortFacts {
  readonly host: string
  readonly port: number
  /** The code of the error: `EADDRINUSE`, `EACCES`; `undefined` if it is free. */
  readonly code: string | undefined
}

export interface Facts {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly platform: NodeJS.Platform
  /** `undefined` when there is none. */
  readonly file: string | undefined
  /** Why the configuration, or a part of it, cannot be used. */
  readonly faults: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  readonly servers: ReadonlyArray<ServerFacts>
  readonly tools: ReadonlyArray<ToolFacts>
  readonly secrets: ReadonlyArray<SecretFacts>
  /** The names of the proxy variables that are set. */
  readonly proxies: ReadonlyArray<string>
  /** Whether a running gateway was asked; otherwise servers were started once. */
  readonly running: boolean
  readonly data: DataFacts
  readonly left: LeftFacts
  readonly port?: PortFacts | undefined
  /** Issuers of `clients` that cannot be used, and why. */
  readonly issuers?: ReadonlyArray<{ readonly issuer: string; readonly detail: string }> | undefined
  /** For OpenClaw's own configuration. */
  readonly openclaw?: DoctorReport | undefined
}

/** One thing that `doctor` looks for: a pure judgement over the facts. */
export type Check = (facts: Facts) => ReadonlyArray<Finding>
