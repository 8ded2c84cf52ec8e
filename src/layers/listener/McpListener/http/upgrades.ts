/** WebSockets of pages for browsers; there are no others here. */
import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import type { Pages } from "../../../../services/listener/McpListener.ts"
import type { Places } from "../../../../system/connectionPlaces.ts"
import { framingFault } from "../../../../system/httpServer.ts"

interface Options {
  readonly pages: Pages | undefined
  readonly places: Places
  /** Whether a request is for this server. */
  readonly isOurs: (incoming: IncomingMessage) => boolean
}

export const takeUpgrades = (server: Server, { isOurs, pages, places }: Options): void => {
  const upgrades = pages?.upgrades
  if (upgrades === undefined) return
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {})
    const isTaken =
      framingFault(incoming) === undefined &&
      isOurs(incoming) &&
      upgrades(incoming, socket, head, (whose) => places.admit(incoming, socket, whose))
    if (isTaken) return
    socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", () => socket.destroy())
  })
}
