/**
 * Log messages of one call for a client that wants them: in their order, and so many at most that wait for the client to
 * read. What comes then is left out: nothing piles up, and no handler is held up.
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
  /** What the client wants to hear from on; nothing where it does not want any, or cannot be told any more. */
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

  /** What waits, before an answer: there is no telling anything about a request that has one. */
  flush(): void {
    const held = this.#held
    this.#held = []
    // Who is gone misses it.
    for (const send of held) void send().catch(() => {})
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    for (let send = this.#held.shift(); send !== undefined; send = this.#held.shift()) await send().catch(() => {})
    this.#isSending = false
  }
}
