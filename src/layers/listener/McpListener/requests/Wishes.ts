/** What a client up to 2025-11-25 says that it wants to hear of: log messages from a level on, and resources. */
import { LISTENER_LOG_LEVEL } from "../../../../schemas/defaults/Listener.ts"
import type { LogLevel } from "../../../../schemas/connection/LogMessage.ts"
import { Subscriptions } from "./Subscriptions.ts"

export class Wishes {
  readonly subscriptions = new Subscriptions()
  #level: LogLevel | undefined
  readonly #changed: () => void

  /** `changed` is called after each change. */
  constructor(changed: () => void = () => {}) {
    this.#changed = changed
  }

  /** As the client said it. */
  get saidLevel(): LogLevel | undefined {
    return this.#level
  }

  get level(): LogLevel {
    return this.#level ?? LISTENER_LOG_LEVEL
  }

  setLevel(level: LogLevel): void {
    this.#level = level
    this.#changed()
  }

  /** False if it is too much. */
  subscribe(uri: string): boolean {
    const isAdded = this.subscriptions.add(uri)
    if (isAdded) this.#changed()
    return isAdded
  }

  unsubscribe(uri: string): void {
    this.subscriptions.remove(uri)
    this.#changed()
  }
}
