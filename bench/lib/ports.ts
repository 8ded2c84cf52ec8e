/** Ports of this machine. */
import { once } from "node:events"
import { connect, createServer, type AddressInfo } from "node:net"
import { setTimeout as delay } from "node:timers/promises"

const STARTING_MS = 120_000
const POLL_MS = 50

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

export const isListenedOn = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

/** Done when somebody listens there. */
export const listened = async (port: number): Promise<void> => {
  const until = performance.now() + STARTING_MS
  while (!(await isListenedOn(port))) {
    if (performance.now() > until) throw new Error(`nobody listens on port ${port}`)
    await delay(POLL_MS)
  }
}
