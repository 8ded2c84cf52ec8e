/** A gateway with a page, and browsers that follow rules or break them. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createWebSocketStream, WebSocket } from "ws"
import { PageRequests } from "../../src/schemas/control/Personal.ts"
import type { McpLiveOptions } from "../../src/layers/McpLive/options.ts"
import { ask } from "./ask.ts"
import { inFolder } from "./folder.ts"
import { reachable } from "./control.ts"
import { TO_LOOPBACK } from "./toLoopback.ts"

export const SCRIPT = "assets/main-a1B2c3D4.js"

/** A page of two files. */
export const pageFiles = Effect.map(inFolder, (folder) => {
  mkdirSync(join(folder, "assets"))
  writeFileSync(join(folder, "index.html"), `<!doctype html><script type="module" src="./${SCRIPT}"></script>`)
  writeFileSync(join(folder, SCRIPT), "document.title = 'here'")
  writeFileSync(join(folder, "parts.json"), "{}")
  return folder
})

/** A gateway with such a page. */
export const withPage = Effect.fnUntraced(function* (
  config: unknown,
  { readOnly, ...options }: McpLiveOptions & { readonly readOnly?: boolean } = {}
) {
  return yield* reachable(config, { ...options, page: { files: yield* pageFiles, readOnly } })
})

export interface Entered {
  /** The address of the page, without a token. */
  readonly url: string
  readonly origin: string
  readonly cookie: string
}

/** Follows an address as a browser does. */
export const enter = async (address: string): Promise<Entered> => {
  const { headers, status } = await ask(address)
  if (status !== 303) throw new Error(`not let in: ${status}`)
  const [set = ""] = headers["set-cookie"] ?? []
  const url = new URL(String(headers["location"]), address)
  return { url: url.href, origin: url.origin, cookie: set.split(";", 1)[0]! }
}

/** The WebSocket of a page; the status if it is refused. */
export const dial = (
  { cookie, origin, url }: Pick<Entered, "url"> & Partial<Entered>,
  headers: Readonly<Record<string, string>> = {}
): Promise<WebSocket | number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(new URL("control", url), {
      ...(url.startsWith("https:") ? TO_LOOPBACK : {}),
      headers: { ...(cookie === undefined ? {} : { cookie }), ...headers },
      ...(origin === undefined ? {} : { origin })
    })
    socket.once("open", () => resolve(socket))
    socket.once("unexpected-response", (_, { statusCode = 0 }) => {
      resolve(statusCode)
      socket.terminate()
    })
    socket.on("error", reject)
  })

/** The same for the Scope. */
export const dialed = (entered: Entered) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = await dial(entered)
      if (typeof socket === "number") throw new Error(`refused: ${socket}`)
      return socket
    }),
    (socket) => Effect.sync(() => socket.terminate())
  )

/** The contract as the page has it. */
export const clientOf = Effect.fnUntraced(function* (entered: Entered) {
  const stream = createWebSocketStream(yield* dialed(entered), { decodeStrings: false })
  stream.on("error", () => {})
  const protocol = yield* RpcClient.makeProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
    Effect.provideService(Socket.Socket, yield* NodeSocket.fromDuplex(Effect.succeed(stream))),
    Effect.provideService(RpcSerialization.RpcSerialization, RpcSerialization.makeNdjson())
  )
  return yield* RpcClient.make(PageRequests).pipe(Effect.provideService(RpcClient.Protocol, protocol))
})
