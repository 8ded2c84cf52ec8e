/** The real pool over servers that live in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ServerPoolLayer from "../../src/layers/connection/ServerPool.ts"
import type { ServerConfig } from "../../src/schemas/connection/ServerConfig.ts"
import { ServerPool } from "../../src/services/connection/ServerPool.ts"
import { layerServers, type TestServer } from "../../src/testing/TestServers.ts"
import { inStep } from "../../src/testing/inStep.ts"
import { serverConfig } from "./serverConfig.ts"

export const pool = (servers: Record<string, TestServer>, loggers: ReadonlyArray<Logger.Logger<unknown, void>> = []) =>
  ServerPoolLayer.layer.pipe(
    Layer.provideMerge(layerServers(servers)),
    Layer.provideMerge(Logger.layer(loggers)),
    Layer.provideMerge(inStep)
  )

export const one = (server: TestServer = {}, ...loggers: ReadonlyArray<Logger.Logger<unknown, void>>) =>
  pool({ fs: server }, loggers)

export const lease = (overrides: Partial<ServerConfig> = {}) =>
  Effect.flatMap(ServerPool, (service) => service.lease(serverConfig("fs", overrides)))
