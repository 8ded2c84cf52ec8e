/**
 * What the holder of a token makes us keep: requests under way and their bodies, answers that are not read, and results of
 * tasks. They are bounded for each of them, so that one who sends much or does not read is in nobody else's way.
 */
import type { ServerResponse } from "node:http"
import { LISTENER_CONNECTIONS_EACH_MAX, LISTENER_UNREAD_ANSWERS_MAX_BYTES } from "../../schemas/defaults/Listener.ts"
import { makePace } from "../../system/pace.ts"

export class Holder {
  /** Its turns: whatever is done with what it sends, in however many requests. */
  readonly pace = makePace()
  /** Of bodies. */
  receivedBytes = 0
  /** Of results of tasks. */
  keptChars = 0
  /** Of what was said to it, for when it comes back. */
  storedChars = 0
  /** Requests under way, in all of its sessions. */
  requests = 0
  /** Requests that go on while it is away. */
  away = 0
  readonly #responses = new Set<ServerResponse>()

  follow(response: ServerResponse): void {
    this.#responses.add(response)
    response.once("close", () => this.#responses.delete(response))
  }

  /** Whether it has as many requests under way as one may have. */
  get isCrowded(): boolean {
    return this.#responses.size >= LISTENER_CONNECTIONS_EACH_MAX
  }

  /** Whether there is too much that it does not read, besides this. */
  isFull(besides?: ServerResponse): boolean {
    let bytes = 0
    for (const response of this.#responses) if (response !== besides) bytes += response.writableLength
    return bytes > LISTENER_UNREAD_ANSWERS_MAX_BYTES
  }
}
