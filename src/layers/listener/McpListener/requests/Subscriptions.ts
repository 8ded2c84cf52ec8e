/** Resources that a client subscribed to (up to 2025-11-25): a bounded set of URIs. */
import { LISTENER_SUBSCRIPTIONS_MAX, LISTENER_URIS_MAX_CHARS } from "../../../../schemas/defaults/Listener.ts"

export class Subscriptions {
  readonly #uris = new Set<string>()
  /** Of all URIs together. */
  #chars = 0

  /** False if there are too many, or they are too long together. */
  add(uri: string): boolean {
    if (this.#uris.has(uri)) return true
    if (this.#uris.size >= LISTENER_SUBSCRIPTIONS_MAX || this.#chars + uri.length > LISTENER_URIS_MAX_CHARS)
      return false
    this.#uris.add(uri)
    this.#chars += uri.length
    return true
  }

  remove(uri: string): void {
    if (this.#uris.delete(uri)) this.#chars -= uri.length
  }

  get all(): ReadonlyArray<string> {
    return [...this.#uris]
  }

  has(uri: string): boolean {
    return this.#uris.has(uri)
  }
}
