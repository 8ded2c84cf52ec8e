/**
 * Log messages of one call for a client that wants them, in their order. A bounded number waits for the client to read; more are left
 * out, so that nothing piles up and no handler waits.
 */
import {
  LISTENER_LOG_MAX_CHARS,
  LISTENER_LOGS_MAX,
  LISTENER_NAME_MAX_CHARS
} from "../../../../schemas/defaults/Listener.ts"
import { withinBounds, type Json } from "../../../../schemas/data/Json.ts"
import { reaches, type LogLevel, type LogMessage } from "../../../../schemas/connection/LogMessage.ts"

/** Where messages go. */
export interface LogTo {
  /** The lowest level that the client wants; nothing if it wants none, or cannot be told any more. */
  readonly least: () => LogLevel | undefined
  /** Done when the client can take another. */
  readonly send: (message: LogMessage) => Promise<void>
}

const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : text.slice(0, maxChars).toWellFormed()

/** Data that is too large becomes the beginning of its text. */
const fitted = (data: Json): Json => {
  if (typeof data === "string") return cut(data, LISTENER_LOG_MAX_CHARS)
  const text = JSON.stringify(data)
  return text.length <= LISTENER_LOG_MAX_CHARS ? data : cut(text, LISTENER_LOG_MAX_CHARS)
}

export class Logs {
  #held: Array<() => Promise<void>> = []
  #isSending = false

  add({ data, level, logger }: LogMessage, to: LogTo | undefined): void {
    const least = to?.least()
    if (to === undefined || least === undefined || !reaches(level, least)) return
    if (this.#held.length >= LISTENER_LOGS_MAX || !withinBounds(data)) return
    const message: LogMessage = {
      level,
      data: fitted(data),
      ...(logger === undefined ? {} : { logger: cut(logger, LISTENER_NAME_MAX_CHARS) })
    }
    this.#held.push(() => to.send(message))
    if (!this.#isSending) void this.#sendAll()
  }

  /** Sends what waits. Call this before an answer: after it, nothing may be said about the request. */
  flush(): void {
    const held = this.#held
    this.#held = []
    // A client that is gone misses it.
    for (const send of held) void send().catch(() => {})
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    for (let send = this.#held.shift(); send !== undefined; send = this.#held.shift()) await send().catch(() => {})
    this.#isSending = false
  }
}
