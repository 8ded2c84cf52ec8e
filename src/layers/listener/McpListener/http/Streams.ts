/**
 * The streams that a session's answers come on, and who is at them. A client whose connection breaks comes back with the name
 * of the last event that it has got, and gets what it has missed: until then its request goes on, for a while. That it is gone
 * is not that it has cancelled.
 */
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { AsyncLocalStorage } from "node:async_hooks"
import { LISTENER_AWAY_MAX, LISTENER_RESUME_MS } from "../../../../schemas/defaults/Listener.ts"
import type { Disconnect } from "./Disconnect.ts"
import type { Run } from "../requests/Call.ts"
import { Events } from "./Events.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"

/** Requests that came together, and are answered on one stream. */
interface Asked {
  readonly request: Request
  readonly away: Disconnect
  /** Whether they are all answered. */
  readonly isOver: () => boolean
  /** Once the client has been told an event of the stream: without one it cannot come back. */
  streamId: string | undefined
  /** Connections on which it is listened to. */
  attached: number
  waiting: Fiber.Fiber<unknown, unknown> | undefined
}

export interface Resumed {
  /** The request that is answered on the stream, while it is. */
  readonly of: Request | undefined
}

export class Streams implements EventStore {
  readonly #run: Run
  readonly #holder: ClientQuota
  readonly #events: Events
  readonly #asked = new Map<string, Asked>()
  /** What the SDK is just beginning a stream for: it does not say. */
  readonly #beginning = new AsyncLocalStorage<Asked>()

  constructor(run: Run, holder: ClientQuota) {
    this.#run = run
    this.#holder = holder
    this.#events = new Events(holder)
  }

  // ---- the SDK's ---------------------------------------------------------------------------------------------------

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const beginning = this.#beginning.getStore()
    // The first event has nothing in it: it is there for its name.
    if (beginning !== undefined && beginning.streamId === undefined && Object.keys(message).length === 0) {
      beginning.streamId = streamId
      this.#asked.set(streamId, beginning)
    }
    return Promise.resolve(this.#events.add(streamId, message))
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { readonly send: (eventId: string, message: JSONRPCMessage) => Promise<void> }
  ): Promise<string> {
    // It may be much, and whoever comes back often is not to hold up others.
    await this.#holder.pace.large()
    for (const [name, message] of this.#events.after(lastEventId))
      await send(name, message as unknown as JSONRPCMessage)
    return this.#events.streamOf(lastEventId) ?? ""
  }

  // ---- who is there ------------------------------------------------------------------------------------------------

  /** Answers requests that have come together, on one stream. */
  answer(
    request: Request,
    away: Disconnect,
    isOver: () => boolean,
    handle: () => Promise<Response>
  ): Promise<Response> {
    const asked: Asked = { request, away, isOver, streamId: undefined, attached: 1, waiting: undefined }
    away.instead(() => this.#left(asked))
    return this.#beginning.run(asked, handle)
  }

  /** The client has come back to the stream of this event. Nothing where there is none, or too much of it is forgotten. */
  resume(event: string, away: Disconnect): Resumed | undefined {
    const streamId = this.#events.streamOf(event)
    if (streamId === undefined) return undefined
    const asked = this.#asked.get(streamId)
    if (asked === undefined) return { of: undefined }
    asked.attached++
    this.#stopWaiting(asked)
    away.instead(() => {
      away.end()
      this.#left(asked)
    })
    return { of: asked.request }
  }

  #left(asked: Asked): void {
    asked.attached--
    if (asked.attached > 0) return
    const isLost = asked.streamId === undefined || this.#holder.away >= LISTENER_AWAY_MAX
    if (isLost || asked.isOver()) return this.#end(asked)
    this.#holder.away++
    asked.waiting = this.#run(
      Effect.andThen(
        Effect.sleep(LISTENER_RESUME_MS),
        Effect.sync(() => this.#end(asked))
      )
    )
  }

  #stopWaiting(asked: Asked): void {
    if (asked.waiting === undefined) return
    this.#holder.away--
    asked.waiting.interruptUnsafe()
    asked.waiting = undefined
  }

  #end(asked: Asked): void {
    this.#stopWaiting(asked)
    if (asked.streamId !== undefined) this.#asked.delete(asked.streamId)
    asked.away.end()
  }

  end(): void {
    for (const asked of this.#asked.values()) this.#end(asked)
    this.#events.clear()
  }
}
