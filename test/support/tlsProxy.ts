/** A proxy with TLS in front of a port, for these host names; it knows nothing of HTTP. */
import * as Effect from "effect/Effect"
import { connect, type AddressInfo, type Socket } from "node:net"
import { createServer } from "node:tls"
import { selfSigned } from "./certificates.ts"

/** Its port, for the Scope. `to`: the port behind it, which may be known later. */
export const tlsProxy = (hosts: ReadonlyArray<string>, to: () => number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly port: number; readonly end: () => void }>((resume) => {
        const open = new Set<Socket>()
        const server = createServer(selfSigned(hosts), (client) => {
          const behind = connect(to(), "127.0.0.1")
          for (const [one, other] of [
            [client, behind],
            [behind, client]
          ] as const) {
            open.add(one)
            one.on("error", () => {}).once("close", () => (open.delete(one), other.destroy()))
            one.pipe(other)
          }
        })
        const end = () => {
          for (const one of open) one.destroy()
          server.close()
        }
        server.listen(0, "127.0.0.1", () =>
          resume(Effect.succeed({ port: (server.address() as AddressInfo).port, end }))
        )
      }),
      ({ end }) => Effect.sync(end)
    ),
    ({ port }) => port
  )
