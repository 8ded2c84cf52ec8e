/** Runs a gateway in this process that commands can reach, in a data directory of its own. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { createConnection, type Socket } from "node:net"
import { GatewayLive, type GatewayOptions } from "../../src/layers/McpLive/GatewayLive.ts"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import type { McpLiveOptions } from "../../src/layers/McpLive/options.ts"
import { LiveConfig } from "../../src/services/config/LiveConfig.ts"
import { ControlPage } from "../../src/services/control/ControlPage.ts"
import { ControlSocket } from "../../src/services/control/ControlSocket.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { findGateways, type Found } from "../../src/system/gatewayFiles.ts"
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
    Effect.callback<Socket>((resume) => {
      const socket = createConnection({ path: found.socket })
      socket.on("error", () => {})
      socket.once("connect", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => void socket.destroy())
  )

/** Completes when the other end has closed the connection. */
export const closed = (socket: Socket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (socket.closed) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void)).resume()
  })
