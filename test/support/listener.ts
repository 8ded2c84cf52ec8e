/** A listener on the loopback with the fixture's offer, and what became of its calls. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import * as McpListenerLayer from "../../src/layers/listener/McpListener.ts"
import { McpListener, type HttpOptions, type OfferChange, type Serve } from "../../src/services/listener/McpListener.ts"
import { serveFixture, type Fixture } from "../fixtures/listener/offer.ts"
import { bearer, send, type Message } from "./rawHttp.ts"
import { sanitizer } from "./sanitizer.ts"

/** Lines that were noted, and a way to wait for one. */
export const makeNotes = () => {
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  return {
    lines,
    note: (line: string) => {
      lines.push(line)
      for (const look of waiting) look()
    },
    /** The first line that is so, when it is there. */
    first: (is: (line: string) => boolean) =>
      Effect.callback<string>((resume) => {
        const look = () => {
          const found = lines.find(is)
          if (found === undefined) return
          waiting.delete(look)
          resume(Effect.succeed(found))
        }
        waiting.add(look)
        look()
      }),
    /** Until it was noted so often. */
    heard: (line: string, times = 1) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          if (lines.filter((one) => one === line).length < times) return
          waiting.delete(look)
          resume(Effect.void)
        }
        waiting.add(look)
        look()
      })
  }
}

export const TOKENS = { me: "a-token-of-mine", other: "a-token-of-another" }

export const listenerLayer = McpListenerLayer.layer.pipe(Layer.provide(sanitizer))

interface Options extends Partial<Pick<Fixture, "logs" | "tasks" | "tools">> {
  readonly serve?: Serve
  readonly door?: Pick<
    HttpOptions,
    "address" | "admits" | "health" | "hosts" | "intake" | "origins" | "revoked" | "sessions" | "whichToken"
  >
  readonly named?: boolean
  /** How long a client is waited for. */
  readonly idleMs?: number
  /** Of others who come, too. */
  readonly more?: ReadonlyArray<string>
}

export const listening = ({ door, idleMs, more = [], named, serve, ...fixture }: Options = {}) =>
  Effect.gen(function* () {
    const notes = makeNotes()
    const { http } = yield* McpListener
    const changes = yield* PubSub.unbounded<OfferChange>()
    const tokens = [
      { token: Redacted.make(TOKENS.me), principal: "me", agent: "writer" },
      { token: Redacted.make(TOKENS.other), principal: "other" },
      ...more.map((token) => ({ token: Redacted.make(token), principal: token }))
    ]
    const made = serve ?? serveFixture({ ...notes, ...fixture, changes })
    const offered: Serve =
      idleMs === undefined ? made : (client) => Effect.map(made(client), (offer) => ({ ...offer, idleMs }))
    const url = yield* Effect.orDie(http(offered, { port: 0, tokens, named, ...door }))
    return { url, changes, ...notes }
  }).pipe(Effect.provide(listenerLayer))

/** The stream of a session, once it is open: what comes on it that no request is about. */
export const streaming = (url: string, session: string) =>
  Effect.gen(function* () {
    const stream = makeNotes()
    const messages: Array<Message> = []
    const signal = yield* Effect.abortSignal
    const headers = { accept: "text/event-stream", "mcp-session-id": session, ...bearer(TOKENS.me) }
    const onMessage = (message: Message) => {
      messages.push(message)
      stream.note(JSON.stringify(message))
    }
    yield* Effect.callback<void>((resume) => {
      const onOpen = () => resume(Effect.void)
      void send(url, { method: "GET", headers, onMessage, onOpen, signal }).catch(() => {})
    })
    return {
      messages,
      /** The first message that is so. */
      message: (is: (message: Message) => boolean) =>
        Effect.map(
          stream.first((line) => is(JSON.parse(line) as Message)),
          (line) => JSON.parse(line) as Message
        )
    }
  })
