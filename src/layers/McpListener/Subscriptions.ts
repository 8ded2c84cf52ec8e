/** Resources that a client wants to hear of (up to 2025-11-25): a bounded set of addresses. */
import { LISTENER_SUBSCRIPTIONS_MAX } from "../../schemas/defaults/Listener.ts"

export class Subscriptions {
  readonly #uris = new Set<string>()

  /** False when there are too many. */
  add(uri: string): boolean {
    if (this.#uris.size >= LISTENER_SUBSCRIPTIONS_MAX && !this.#uris.has(uri)) return false
    this.#uris.add(uri)
    return true
  }

  remove(uri: string): void {
    this.#uris.delete(uri)
  }

  has(uri: string): boolean {
    return this.#uris.has(uri)
  }
}
