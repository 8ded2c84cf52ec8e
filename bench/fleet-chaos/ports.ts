/**
 * Ports for processes that come and go: not from the range from which the system gives ports to whoever asks for any, so that none of them is
 * taken while its process is away.
 */
import { createServer } from "node:net"

const [LEAST, MOST] = [18_000, 32_000]
const TRIES = 100

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

const given = new Set<number>()

export const ownPort = async (): Promise<number> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = LEAST + Math.floor(Math.random() * (MOST - LEAST))
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error("no port is free")
}
