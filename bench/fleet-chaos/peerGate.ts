/**
 * A gate before the port that a node has for the others: what passes can be cut, or held as when a cable is pulled. It listens only while the
 * node does, so that a dead node refuses connections as it would without a gate.
 */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface PeerGate {
  readonly address: string
  /** The node runs. */
  readonly open: () => Promise<void>
  /** The node has ended. */
  readonly shut: () => Promise<void>
  /** Ends every connection; new ones are accepted. */
  readonly cut: () => void
  /** Nothing passes, in no direction, until `release`. */
  readonly hold: () => void
  readonly release: () => void
}

export const makePeerGate = (port: number, to: number): PeerGate => {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isHeld = false
  const each = (act: (socket: Socket) => void) => {
    for (const pair of pairs) for (const socket of pair) act(socket)
  }
  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1")
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [one, other] of [pair, [far, near] as const]) {
      one.setNoDelay(true)
      one.on("error", () => {})
      one.once("close", () => {
        pairs.delete(pair)
        other.destroy()
      })
      one.pipe(other)
    }
    if (isHeld) for (const socket of pair) socket.pause()
  })
  return {
    address: `127.0.0.1:${port}`,
    open: async () => {
      if (server.listening) return
      server.listen(port, "127.0.0.1")
      await once(server, "listening")
    },
    shut: async () => {
      each((socket) => void socket.destroy())
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
    cut: () => each((socket) => void socket.destroy()),
    hold: () => {
      isHeld = true
      each((socket) => void socket.pause())
    },
    release: () => {
      isHeld = false
      each((socket) => void socket.resume())
    }
  }
}
