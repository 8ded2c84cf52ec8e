/**
 * The HTTP requests of one connection: their headers, the session that they belong to, and which responses are refusals. Bodies
 * are read in `bodies.ts`.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Response } from "undici"
import { SESSION_ID_MAX_CHARS } from "../../../../schemas/defaults/Wire.ts"
import type { GuardedFetch } from "../../../../services/connection/NetworkGuard.ts"
import { beginningOf } from "./bodies.ts"
import { retryAfterMs } from "./retryAfter.ts"

/** A session id that no header may hold, or that is far too long. */
export class BadSessionId extends Data.TaggedError("BadSessionId") {
  override readonly message = "the server names a session id that is not valid"
}

/** A response whose status is an error. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly status: number
  /** The beginning of its body. */
  readonly text: string
  readonly retryAfterMs: number | undefined
}> {
  override readonly message = `the server answered HTTP ${this.status}`
}

export const EVENTS = "text/event-stream"
export const JSON_TYPE = "application/json"
const SESSION_ID = "mcp-session-id"

/** Without its parameters. */
export const mediaTypeOf = ({ headers }: Response): string =>
  (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase()

/** Visible ASCII and no more (Streamable HTTP › Session Management). */
const isSessionId = (id: string): boolean => id.length <= SESSION_ID_MAX_CHARS && /^[\x21-\x7e]+$/.test(id)

/** Aborted with the Scope, unless that ends well: then the response was read to its end. */
const signalOfScope = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller, exit) => Effect.sync(() => exit._tag === "Failure" && controller.abort())
  ),
  ({ signal }) => signal
)

export type Verb = "GET" | "POST" | "DELETE"

export interface WireRequest {
  readonly url: URL
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string
}

export class Wire {
  readonly #fetch: GuardedFetch["fetch"]
  readonly #headers: Readonly<Record<string, string>>
  /** The session that the server opened with its answer to `initialize`; there is none since 2026-07-28. */
  sessionId: string | undefined
  /** Both sides have agreed on it. */
  protocolVersion: string | undefined

  /** `headers` are those of the configuration. */
  constructor(fetch: GuardedFetch["fetch"], headers: Readonly<Record<string, string>>) {
    this.#fetch = fetch
    this.#headers = headers
  }

  /**
   * One exchange, up to the head of its response. Fails with `Refused`, `BadSessionId`, or what the network or its guard says.
   * The request and its response end with the Scope.
   */
  readonly exchange = (verb: Verb, request: WireRequest): Effect.Effect<Response, unknown, Scope.Scope> =>
    Effect.flatMap(signalOfScope, (signal) =>
      // What the network and its guard throw has no common type; `httpFailure.ts` judges it.
      // @effect-diagnostics-next-line unknownInEffectCatch:off
      Effect.tryPromise({ try: () => this.#send(verb, request, signal), catch: (error) => error })
    )

  async #send(verb: Verb, { accept, body, headers, url }: WireRequest, signal: AbortSignal): Promise<Response> {
    const all = new Headers({ ...this.#headers })
    if (this.protocolVersion !== undefined) all.set("mcp-protocol-version", this.protocolVersion)
    if (this.sessionId !== undefined) all.set(SESSION_ID, this.sessionId)
    if (accept !== undefined) all.append("accept", accept)
    if (body !== undefined) all.set("content-type", JSON_TYPE)
    for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value)
    const response = await this.#fetch(url, { method: verb, headers: all, signal, ...(body && { body }) })
    const session = response.headers.get(SESSION_ID)
    if (session !== null && !isSessionId(session)) {
      await response.body?.cancel()
      throw new BadSessionId()
    }
    if (response.ok) return response
    const after = retryAfterMs(response.headers.get("retry-after"))
    throw new Refused({ status: response.status, text: await beginningOf(response.body), retryAfterMs: after })
  }

  /** Takes up the session that a response to `initialize` opens. */
  open(response: Response): void {
    this.sessionId = response.headers.get(SESSION_ID) ?? undefined
  }
}
