/** A port of the loopback that is free now. */
import * as Effect from "effect/Effect"
import { createServer, type AddressInfo } from "node:net"

export const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        server.close(() => resolve(port))
      })
    })
)
