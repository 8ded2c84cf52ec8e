/** Runs a gateway in this process that commands can reach, in a data directory of its own. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as Schedule from "effect/Schedule"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { createConnection, type Socket as Connection } from "node:net"
import { GatewayLive, type GatewayOptions } from "../../src/layers/McpLive/GatewayLive.ts"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import type { McpLiveOptions } from "../../src/layers/McpLive/options.ts"
import { LiveConfig } from "../../src/services/config/LiveConfig.ts"
import { ControlPage } from "../../src/services/control/ControlPage.ts"
import { ControlSocket } from "../../src/services/control/ControlSocket.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { Control } from "../../src/schemas/control/Control.ts"
import { findGateways, type Found } from "../../src/system/gatewayFiles.ts"
import { connectTo } from "../../src/system/localSocket.ts"
import { inFolder } from "./folder.ts"

export interface Working {
  readonly runtime: McpRuntime["Service"]
  readonly live: LiveConfig["Service"]
  readonly page: ControlPage["Service"]
  readonly dataDirectory: string
  readonly log: ReadonlyArray<string>
}

export interface Reachable extends Working {
  readonly found: Found
}

/** A gateway whose socket is open, or cannot be opened. */
export const working = (
  config: unknown,
  { page, ...options }: McpLiveOptions & Pick<GatewayOptions, "page"> = {}
): Effect.Effect<Working, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const dataDirectory = options.dataDirectory ?? (yield* inFolder)
    const log: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void log.push(String(message)))])
    const layer = GatewayLive(
      { ...options, dataDirectory, replace: { config: ConfigSourceLayer.layerObject(config), ...options.replace } },
      { kind: "start", page }
    )
    const context = yield* Layer.build(layer.pipe(Layer.provideMerge(logger)))
    yield* Context.get(context, ControlSocket).opened
    return {
      runtime: Context.get(context, McpRuntime),
      live: Context.get(context, LiveConfig),
      page: Context.get(context, ControlPage),
      dataDirectory,
      log
    }
  })

export const reachable = (
  config: unknown,
  options: McpLiveOptions & Pick<GatewayOptions, "page"> = {}
): Effect.Effect<Reachable, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const gateway = yield* working(config, options)
    const [found] = yield* Effect.promise(() => findGateways(gateway.dataDirectory))
    if (found === undefined) return yield* Effect.die(`no gateway was announced: ${gateway.log.join("\n")}`)
    return { ...gateway, found }
  })

/** A connection without our client, and what arrives on it. */
export const rawConnection = (found: Found) =>
  Effect.acquireRelease(
    Effect.callback<Connection>((resume) => {
      const socket = createConnection({ path: found.socket })
      socket.on("error", () => {})
      socket.once("connect", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => void socket.destroy())
  )

/** Completes when the other end has closed the connection. */
export const closed = (socket: Connection): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (socket.closed) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void)).resume()
  })

/** The whole contract of a gateway, over its socket. */
export const contract = Effect.fnUntraced(function* ({ socket }: Found) {
  const opened = yield* NodeSocket.fromDuplex(
    Effect.acquireRelease(
      Effect.promise(() => connectTo(socket)),
      (connection) => Effect.sync(() => void connection.destroy())
    )
  )
  const protocol = yield* RpcClient.makeProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
    Effect.provideService(Socket.Socket, opened),
    Effect.provideService(RpcSerialization.RpcSerialization, RpcSerialization.makeNdjson({ maxBufferSize: 2 ** 28 }))
  )
  return yield* RpcClient.make(Control).pipe(Effect.provideService(RpcClient.Protocol, protocol))
})
export type Contract = Effect.Success<ReturnType<typeof contract>>
