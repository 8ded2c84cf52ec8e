/**
 * One request over HTTP and its response. As long as its Scope is open, its body counts as received, and what it asked for goes on.
 * The Scope closes with the connection, unless the one who answers decides otherwise: a client may come back for an answer, or
 * get it on another stream.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Run } from "../requests/running.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import type { RequestId, Sender } from "../requests/sdk.ts"
import type { Caller } from "./addresses.ts"
import type { Passed } from "./elsewhere/peerHeaders.ts"
import type { Bearer } from "./tokens.ts"
import { untilRead, type Recipient } from "./responses.ts"

interface ExchangeOptions extends Omit<Recipient, "whenClosed"> {
  readonly who: Caller
  readonly incoming: IncomingMessage
  readonly passed?: Passed | undefined
  readonly bearer?: Bearer | undefined
}

export class Exchange implements Sender, Recipient {
  readonly who: Caller
  readonly incoming: IncomingMessage
  /** If another node of the fleet has passed it on. */
  readonly passed: Passed | undefined
  /** The access token that it came with, for the node that answers. */
  readonly bearer: Bearer | undefined
  readonly response: ServerResponse
  readonly holder: ClientQuota
  readonly run: Run
  readonly scope = Scope.makeUnsafe()
  /** Done when the client can take more of what is said about this request. */
  read: () => Promise<void>
  /** The id that the client gave its request, where the SDK knows it by another one. */
  asked: RequestId | undefined
  #left: (() => void) | undefined
  readonly #whenClosed: Array<() => void> = []
  readonly #whenOver: Array<() => void> = []
  #isClosed = false

  constructor({ bearer, holder, incoming, passed, response, run, who }: ExchangeOptions) {
    this.who = who
    this.passed = passed
    this.bearer = bearer
    this.incoming = incoming
    this.response = response
    this.holder = holder
    this.run = run
    this.read = () => untilRead(response)
    response.once("close", () => this.#close())
    if (response.destroyed) this.#close()
  }

  get method(): string {
    return this.incoming.method ?? ""
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  }

  /** At once if it is. */
  readonly whenClosed = (closed: () => void): void => {
    if (this.#isClosed) closed()
    else this.#whenClosed.push(closed)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Done when it is. */
  readonly closed: Effect.Effect<void> = Effect.callback((resume) => this.whenClosed(() => resume(Effect.void)))

  /** From now on this is called when the connection is closed, in place of `end`. */
  instead(left: () => void): void {
    this.#left = left
    if (this.#isClosed) left()
  }

  /** Also when the response is complete: then nobody waits any more. */
  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const closed of this.#whenClosed) closed()
    if (this.#left === undefined) this.end()
    else this.#left()
  }

  /** Calls this at the end. */
  readonly whenOver = (over: () => void): void => {
    if (this.scope.state._tag === "Closed") over()
    else this.#whenOver.push(over)
  }

  /** Nobody waits for the answer any more. */
  end(): void {
    for (const over of this.#whenOver.splice(0)) over()
    const ending = Scope.closeUnsafe(this.scope, Exit.void)
    if (ending !== undefined) this.run(ending)
  }
}
