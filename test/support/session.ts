/** A session whose server is a function: for tests of what a connection makes of answers. */
import * as Effect from "effect/Effect"
import type { OutgoingMessage } from "../../src/layers/connection/ServerConnector/rpc/Link.ts"
import { Peer, type PeerHooks } from "../../src/layers/connection/ServerConnector/rpc/Peer.ts"
import { makeEventLoop } from "../../src/system/EventLoop.ts"
import { noDeadlines } from "./deadlines.ts"
import type { Session } from "../../src/layers/connection/ServerConnector/rpc/Session.ts"

/** Gives the result of a request, or throws its error (`{ code, message }`); `undefined` leaves it open. */
export type Script = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  say: (message: object) => void,
  id: number
) => unknown

export interface Scripted {
  readonly session: Session
  readonly peer: Peer
  readonly sent: ReadonlyArray<OutgoingMessage>
  /** What was sent with this method. */
  readonly of: (method: string) => ReadonlyArray<OutgoingMessage>
  readonly oddities: ReadonlyArray<string>
}

export const scripted = (script: Script, hooks: Partial<PeerHooks> = {}): Scripted => {
  const sent: Array<OutgoingMessage> = []
  const oddities: Array<string> = []
  // Through text, as on a real link: what is not JSON does not arrive.
  const say = (message: object) => peer.receiveText(JSON.stringify({ jsonrpc: "2.0", ...message }))
  const peer: Peer = new Peer(
    "fs",
    {
      send: (message) => {
        sent.push(message)
        const { id, method, params = {} } = message
        if (typeof id !== "number" || method === undefined) return
        try {
          const result = script(method, params, say, id)
          if (result !== undefined) say({ id, result })
        } catch (error) {
          say({ id, error })
        }
      }
    },
    {
      deadlines: noDeadlines,
      loop: makeEventLoop(),
      onNotification: () => {},
      onViolation: (what) => void oddities.push(what),
      tidy: (text) => text,
      ...hooks
    }
  )
  return {
    peer,
    sent,
    oddities,
    of: (method) => sent.filter((message) => message.method === method),
    session: {
      server: "fs",
      transport: "stdio",
      pid: undefined,
      peer,
      closed: Effect.never,
      lastWords: () => "",
      tidy: (text) => text,
      setProtocolVersion: () => {}
    }
  }
}
