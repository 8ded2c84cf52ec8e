/**
 * Passes a request on to another node and its answer back, as it comes. What a client does not read is not read from the other node either, so
 * its bounds count. If the connection between the nodes breaks, whoever asked decides what the client is told.
 */
import * as Effect from "effect/Effect"
import { request, type Agent, type IncomingMessage } from "node:http"
import type { NodeId } from "../../../../../schemas/fleet/Node.ts"
import { MISDIRECTED, NOT_HERE } from "../../../../../schemas/fleet/NotHere.ts"
import type { Exchange } from "../Exchange.ts"
import { answerHeaders, passedHeaders } from "./peerHeaders.ts"

/**
 * `before`: the other node got nothing. `sent`: it may have, and the client has been told nothing. `between`: the client has a part of a
 * stream that ends with a whole event; `within`: with a part of something.
 */
export type Broken = "before" | "sent" | "between" | "within"

export type PassedOn = "answered" | "not here" | { readonly broke: Broken }

interface PassOptions {
  readonly agent: Agent
  readonly node: NodeId
  readonly take: boolean
  readonly body: unknown
}

const NEWLINE = 10

/** Whether what was said so far ends with a whole event: an empty line. */
const endsEvent = (chunk: Buffer, before: number): boolean => {
  const last = chunk.at(-1)
  const second = chunk.length > 1 ? chunk.at(-2) : before
  return last === NEWLINE && second === NEWLINE
}

/** Gives the client what comes, no faster than it reads. */
const hand = ({ response }: Exchange, incoming: IncomingMessage, done: (passed: PassedOn) => void): void => {
  const isStream = incoming.headers["content-type"]?.startsWith("text/event-stream") === true
  response.writeHead(incoming.statusCode ?? 502, answerHeaders(incoming))
  // What came together goes on together: a client that has the head alone when this node dies does not know what to come back for.
  if (isStream) setImmediate(() => response.flushHeaders())
  let last = NEWLINE
  let isWhole = true
  const drained = () => void incoming.resume()
  response.on("drain", drained)
  incoming.on("data", (chunk: Buffer) => {
    isWhole = endsEvent(chunk, last)
    last = chunk.at(-1) ?? last
    if (!response.write(chunk)) incoming.pause()
  })
  incoming.once("end", () => {
    response.off("drain", drained)
    response.end()
    done("answered")
  })
  incoming.once("error", () => {
    response.off("drain", drained)
    done({ broke: isStream && isWhole ? "between" : "within" })
  })
}

export const passOn = (exchange: Exchange, { agent, body, node, take }: PassOptions): Effect.Effect<PassedOn> =>
  Effect.callback((resume) => {
    let isOver = false
    const done = (passed: PassedOn) => {
      if (isOver) return
      isOver = true
      resume(Effect.succeed(passed))
    }
    const { incoming } = exchange
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = passedHeaders(incoming, exchange.who, node, take, exchange.bearer)
    const sent = request({
      agent,
      method: exchange.method,
      path: incoming.url ?? "/",
      headers: text === undefined ? headers : { ...headers, "content-length": String(text.length) }
    })
    let isSent = false
    sent.once("socket", () => (isSent = true))
    sent.on("error", () => done({ broke: isSent ? "sent" : "before" }))
    sent.once("response", (answer) => {
      if (answer.statusCode === MISDIRECTED && answer.headers[NOT_HERE] !== undefined) {
        answer.resume()
        return done("not here")
      }
      hand(exchange, answer, done)
    })
    // A client that has left is not answered by anybody.
    exchange.whenClosed(() => {
      sent.destroy()
      done("answered")
    })
    sent.end(text)
  })
