/** The real connector with everything it needs, and shorthands for tests against real processes and sockets. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ContentSanitizerLayer from "../../src/layers/content/ContentSanitizer.ts"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import * as SecretResolverLayer from "../../src/layers/secret/SecretResolver.ts"
import * as ServerConnectorLayer from "../../src/layers/connection/ServerConnector.ts"
import type { ServerConfig } from "../../src/schemas/connection/ServerConfig.ts"
import type { HostFeatures } from "../../src/services/content/HostFeatures.ts"
import type { NetworkGuard } from "../../src/services/connection/NetworkGuard.ts"
import { ServerConnector, type ServerConnection } from "../../src/services/connection/ServerConnector.ts"
import { hostile } from "../fixtures/servers.ts"
import { fakeHost } from "./host.ts"
import { serverConfig } from "./serverConfig.ts"

/** The connector with this host; the host is there to be told of new roots. */
export const connectorWith = (
  host: Layer.Layer<HostFeatures>,
  loggers: ReadonlyArray<Logger.Logger<unknown, void>> = [],
  network: Layer.Layer<NetworkGuard> = NetworkGuardLayer.layer(),
  guard: Parameters<typeof ServerConnectorLayer.layerGuarding>[0] = {}
) =>
  ServerConnectorLayer.layerGuarding(guard).pipe(
    Layer.provide(network),
    Layer.provide(Layer.mergeAll(SecretResolverLayer.layer(), ContentSanitizerLayer.layer)),
    Layer.provide(RedactorLayer.layer),
    Layer.provideMerge(host),
    Layer.provideMerge(Logger.layer(loggers))
  )

/** With a host that offers nothing. */
export const connectorLayer = connectorWith(fakeHost())

export const stdioConfig = (command: string, args: ReadonlyArray<string>, overrides: Partial<ServerConfig> = {}) =>
  serverConfig("fs", {
    launch: { kind: "stdio", command, args, env: {}, cwd: undefined },
    timeout: 15_000,
    ...overrides
  })

export const httpConfig = (url: string, kind: "http" | "sse" = "http", overrides: Partial<ServerConfig> = {}) =>
  serverConfig("web", { launch: { kind, url, headers: {} }, timeout: 15_000, ...overrides })

export const open = (config: ServerConfig) => Effect.flatMap(ServerConnector, (connector) => connector.open(config))

/** Opens the hostile server in a scenario. */
export const openHostile = (scenario: string, overrides: Partial<ServerConfig> = {}) => {
  const { args, command } = hostile(scenario)
  return open(stdioConfig(command, args, overrides))
}

export const callTool = (
  connection: ServerConnection,
  name: string,
  args: Record<string, unknown> = {},
  idleMs = 30_000
) => connection.request("tools/call", { name, arguments: args }, { idleMs, totalMs: 60_000 })

/** The text of the first block of a raw result. */
export const textOf = (result: unknown): string =>
  (result as { content: ReadonlyArray<{ text: string }> }).content[0]?.text ?? ""
