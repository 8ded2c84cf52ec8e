/** A WebSocket from its bytes on: a server that says what no library would. */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"

const TEXT = 0x1
const FINAL = 0x80
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/** One unmasked frame that is a whole message, as servers send them. */
export const frame = (text: string, opcode = TEXT): Buffer => {
  const body = Buffer.from(text)
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65_536 ? 4 : 10)
  head[0] = FINAL | opcode
  head[1] = head.length === 2 ? body.length : head.length === 4 ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(body.length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, body])
}

export interface RawGateway {
  readonly port: number
  /** The heads of the requests that have come. */
  readonly heads: ReadonlyArray<string>
  readonly sockets: ReadonlyArray<Socket>
}

/** Agrees to everything, and sends `bytes` with its agreement. What it is sent then is not read. */
export const rawGateway = (bytes: Buffer, extensions = "") =>
  Effect.acquireRelease(
    Effect.callback<RawGateway & { readonly server: Server }>((resume) => {
      const heads: Array<string> = []
      const sockets: Array<Socket> = []
      const server = createServer((socket) => {
        sockets.push(socket.on("error", () => {}))
        socket.once("data", (data: Buffer) => {
          const head = data.toString("latin1")
          heads.push(head)
          const [, key = ""] = /sec-websocket-key: (\S+)/i.exec(head) ?? []
          const accept = createHash("sha1")
            .update(key + MAGIC)
            .digest("base64")
          const answer = `HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: upgrade\r\n${extensions}sec-websocket-accept: ${accept}\r\n\r\n`
          socket.write(Buffer.concat([Buffer.from(answer), bytes]))
          socket.resume()
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ server, heads, sockets, port: (server.address() as AddressInfo).port }))
      )
    }),
    ({ server, sockets }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  )
