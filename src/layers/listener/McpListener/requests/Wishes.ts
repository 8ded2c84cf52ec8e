/** What a client up to 2025-11-25 says that it wants to hear of: log messages from a level on, and resources. */
import { LISTENER_LOG_LEVEL } from "../../../../schemas/defaults/Listener.ts"
import type { LogLevel } from "../../../../schemas/connection/LogMessage.ts"
import { Subscriptions } from "./Subscriptions.ts"

/** Done when what was said is safe; nothing where nobody has to know. */
type Changed = () => Promise<void> | undefined

export class Wishes {
  readonly subscriptions = new Subscriptions()
  #level: LogLevel | undefined
  readonly #changed: Changed

  /** `changed` is called after each change. */
  constructor(changed: Changed = () => undefined) {
    this.#changed = changed
  }

  /** As the client said it. */
  get saidLevel(): LogLevel | undefined {
    return this.#level
  }

  get level(): LogLevel {
    return this.#level ?? LISTENER_LOG_LEVEL
  }

  setLevel(level: LogLevel): Promise<void> | undefined {
    this.#level = level
    return this.#changed()
  }

  /** False if it is too much. */
  subscribe(uri: string): Promise<void> | undefined | false {
    return this.subscriptions.add(uri) && this.#changed()
  }

  unsubscribe(uri: string): Promise<void> | undefined {
    this.subscriptions.remove(uri)
    return this.#changed()
  }
}
