/** Responses: in one piece, or a stream of events. What a client does not read is bounded. */
import type { JSONRPCMessage } from "../requests/sdk.ts"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import {
  LISTENER_GATHER_MS,
  LISTENER_KEEP_ALIVE_MS,
  LISTENER_RECEIVE_MS,
  LISTENER_UNREAD_MAX_BYTES,
  LISTENER_UNREAD_MS
} from "../../../../schemas/defaults/Listener.ts"
import { answerEarly, SAFE_HEADERS } from "../../../../system/httpServer.ts"
import { again } from "../../../../system/rounds.ts"
import type { Run } from "../requests/running.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import type { Answer } from "./httpMessages.ts"

/** Where a response goes, and whose it is. */
export interface Recipient {
  readonly response: ServerResponse
  readonly holder: ClientQuota
  readonly run: Run
  /** Calls this when the connection is closed. */
  readonly whenClosed: (closed: () => void) => void
}

/** The end of a response. A client that takes nothing of it for long is cut off, and so is one that has not taken all of it by then. */
const end = (to: Recipient, text = ""): void => {
  const { holder, response } = to
  // There is no room for more, however little it is.
  if (text !== "" && holder.isFull) return void response.destroy()
  response.end(text)
  // What the system takes at once it has taken by then.
  setImmediate(() => response.closed || cutOffLate(to))
}

const cutOffLate = ({ response, run, whenClosed }: Recipient): void => {
  response.setTimeout(LISTENER_RECEIVE_MS, () => response.destroy())
  const late = run(
    Effect.andThen(
      Effect.sleep(LISTENER_UNREAD_MS),
      Effect.sync(() => response.destroy())
    )
  )
  whenClosed(() => late.interruptUnsafe())
}

/** All of it at once: then it leaves with its head. */
const endWith = (to: Recipient, status: number, headers: Readonly<Record<string, string>>, text: string): void => {
  to.response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(text)) })
  end(to, text)
}

/** Refuses a body. If it has not arrived completely, the connection ends with that. */
export const refuseBody = (to: Recipient, refused: Answer): void => {
  if (to.response.req.complete) say(to, refused)
  else answerEarly(to.response, refused.status, refused.headers, refused.text)
}

/** Says all of it. */
export const say = (to: Recipient, { headers, status, text }: Answer): void => {
  if (to.response.destroyed) return
  endWith(to, status, { ...SAFE_HEADERS, ...headers }, text)
  to.holder.wrote(to.response, false)
}

/** Done when all that was written has been taken, or the client is gone. */
export const untilRead = async (response: ServerResponse | undefined): Promise<void> => {
  // What was just said is on its way here.
  await new Promise((resolve) => setImmediate(resolve))
  if (response === undefined || !response.writableNeedDrain || response.destroyed) return
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off("drain", done)
      response.off("close", done)
      resolve()
    }
    response.on("drain", done)
    response.on("close", done)
  })
}

/**
 * What a stream holds: the answer to a request; what a client missed, and news behind that; news; or all that a client is told
 * (2024-11-05). Answers may be large, and wait to be read together with all others of their holder. News may not: nobody asked for
 * them.
 */
export type Held = "answer" | "missed" | "news" | "all"

const HEADERS = {
  ...SAFE_HEADERS,
  "content-type": "text/event-stream",
  // A proxy in front must not collect what is for now.
  "x-accel-buffering": "no"
}

const NO_TRANSFORM = { "cache-control": "no-cache, no-transform" }

/** The streams of a listener that are open. */
export class EventStreams {
  readonly #open = new Set<EventStream>()
  /** Those that have yet to begin: with the next turn, and with the one after it. */
  #due = new Set<EventStream>()
  #gathering = new Set<EventStream>()
  #isTurning = false

  /** They say from time to time that they are still there, so that nobody in between closes them. */
  constructor(run: Run) {
    const still = Effect.sync(() => {
      for (const stream of this.#open) stream.comment()
    })
    run(again("signs of life to clients", LISTENER_KEEP_ALIVE_MS, still))
  }

  open(to: Recipient, held: Held, headers: Readonly<Record<string, string>> = {}): EventStream {
    const stream = new EventStream(to, held, {
      ...HEADERS,
      ...(held === "all" ? {} : NO_TRANSFORM),
      ...headers
    })
    this.#open.add(stream)
    to.whenClosed(() => {
      this.#open.delete(stream)
      this.#due.delete(stream)
      this.#gathering.delete(stream)
    })
    return stream
  }

  /** Has it begin, unless an answer comes first: then all of it goes out together. One timer serves all of them. */
  beginSoon(stream: EventStream, first: string): void {
    stream.gather(first)
    this.#gathering.add(stream)
    this.#turnLater()
  }

  #turnLater(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    setTimeout(() => {
      this.#isTurning = false
      for (const one of this.#due) one.begin()
      // Those have only just come.
      this.#due = this.#gathering
      this.#gathering = new Set()
      if (this.#due.size > 0) this.#turnLater()
    }, LISTENER_GATHER_MS)
  }
}

export class EventStream {
  readonly response: ServerResponse
  readonly #to: Recipient
  readonly #held: Held
  readonly #headers: Readonly<Record<string, string>>
  /** Until the head is sent: what goes out with it. */
  #gathered: string | undefined = ""
  #unreadNews = 0
  #timesRead = 0
  #isWatched = false
  #hasEnded = false

  constructor(to: Recipient, held: Held, headers: Readonly<Record<string, string>>) {
    this.#to = to
    this.response = to.response
    this.#held = held
    this.#headers = headers
  }

  /** Whether the client has been told anything. */
  get hasBegun(): boolean {
    return this.#gathered === undefined
  }

  /** Sends the head, so that the client knows that the stream is there: clients give up on one that is not. */
  begin(first = ""): void {
    if (this.#gathered === undefined || this.#hasEnded || this.response.destroyed) return
    const text = this.#gathered + first
    this.#gathered = undefined
    this.response.writeHead(200, this.#headers)
    if (text === "") this.response.flushHeaders()
    else this.#write(text, true)
  }

  /** What goes out with the head. */
  gather(text: string): void {
    if (this.#gathered !== undefined) this.#gathered += text
  }

  /** Says that it is still there; no client takes that for a message. */
  comment(): void {
    if (this.hasBegun) this.#write(this.#held === "all" ? ": still here\n\n" : ": keepalive\n\n", true)
  }

  /** With the name that the event has for a client that comes back. */
  message(message: JSONRPCMessage, name?: string): void {
    this.begin()
    this.#write(this.#textOf(message, name), "method" in message)
  }

  /** The last message, and the end. */
  last(message: JSONRPCMessage, name?: string): void {
    if (this.#hasEnded || this.response.destroyed) return
    this.#hasEnded = true
    const text = this.#textOf(message, name)
    if (this.#gathered === undefined) end(this.#to, text)
    else endWith(this.#to, 200, this.#headers, this.#gathered + text)
    this.#gathered = undefined
    this.#to.holder.wrote(this.response, this.#held !== "answer")
  }

  end(): void {
    if (this.#hasEnded || this.response.destroyed) return
    this.begin()
    this.#hasEnded = true
    end(this.#to)
  }

  #textOf(message: JSONRPCMessage, name: string | undefined): string {
    return `event: message\n${name === undefined ? "" : `id: ${name}\n`}data: ${JSON.stringify(message)}\n\n`
  }

  #write(text: string, isNews: boolean): void {
    const { response } = this
    if (this.#hasEnded || response.destroyed) return
    const size = this.#held === "news" || (this.#held === "all" && isNews) ? text.length : 0
    this.#unreadNews += size
    response.write(text, () => {
      this.#unreadNews -= size
      this.#timesRead++
    })
    if (this.#unreadNews > LISTENER_UNREAD_MAX_BYTES) return void response.destroy()
    this.#to.holder.wrote(response, this.#held !== "answer")
    if (this.#held === "all") this.#watch()
  }

  /** While something is not read, something has to be, from time to time. */
  #watch(): void {
    const { response } = this
    if (this.#isWatched || response.writableLength === 0) return
    this.#isWatched = true
    const look = Effect.suspend(() => {
      const before = this.#timesRead
      return Effect.map(Effect.sleep(LISTENER_UNREAD_MS), () => {
        if (this.#timesRead === before && response.writableLength > 0) response.destroy()
        return response.writableLength > 0 && !response.destroyed
      })
    })
    const watching = this.#to.run(
      Effect.andThen(
        Effect.repeat(look, { while: (isUnread) => isUnread }),
        Effect.sync(() => (this.#isWatched = false))
      )
    )
    response.once("close", () => watching.interruptUnsafe())
  }
}
