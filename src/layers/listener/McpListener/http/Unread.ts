/**
 * Answers over HTTP that clients have not read, of all holders of tokens: bounded for each holder and for all together. Nothing more
 * is kept for a holder that has too much. If another one needs room, the answers that have waited longest are dropped, of holders
 * that have more than their part.
 */
import type { ServerResponse } from "node:http"
import {
  LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES,
  LISTENER_UNREAD_ANSWERS_MAX_BYTES
} from "../../../../schemas/defaults/Listener.ts"

type ClientQuota = object

export class Unread {
  readonly #part: number
  /** The longest waiting first. */
  readonly #waiting = new Map<ServerResponse, ClientQuota>()

  constructor(holders: number) {
    this.#part = LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES / holders
  }

  /** Whether this holder has to read before more of it is accepted; `besides` this answer. */
  isOver(holder: ClientQuota, besides?: ServerResponse): boolean {
    const own = this.#bytes(holder, besides)
    return own > LISTENER_UNREAD_ANSWERS_MAX_BYTES || (own > this.#part && this.#isFull)
  }

  /** Call this when something was written. One answer may be of any size; on a stream there may be many. */
  wrote(holder: ClientQuota, response: ServerResponse, isStream: boolean): void {
    if (response.destroyed || response.writableLength === 0) return
    this.#follow(holder, response)
    if (this.isOver(holder, isStream ? undefined : response)) return void response.destroy()
    for (const [one, owner] of this.#waiting) {
      if (!this.#isFull) return
      if (one !== response && this.#bytes(owner) > this.#part) one.destroy()
    }
  }

  #follow(holder: ClientQuota, response: ServerResponse): void {
    if (this.#waiting.has(response)) return
    this.#waiting.set(response, holder)
    const over = () => {
      this.#waiting.delete(response)
      response.off("drain", over).off("close", over)
    }
    response.on("drain", over).on("close", over)
  }

  get #isFull(): boolean {
    return this.#bytes() > LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES
  }

  /** Of one holder, or of all. */
  #bytes(holder?: ClientQuota, besides?: ServerResponse): number {
    let bytes = 0
    for (const [response, owner] of this.#waiting) {
      const counts = (holder === undefined || owner === holder) && response !== besides && !response.destroyed
      if (counts) bytes += response.writableLength
    }
    return bytes
  }
}
