/** mcp-live: the whole pipeline of `McpRuntime.call`, composed by `McpLive` as a gateway would have it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as References from "effect/References"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { McpLive } from "../../src/layers/McpLive.ts"
import { DEFAULT_CALL_LIMITS, type CallLimits } from "../../src/schemas/call/CallLimits.ts"
import type { GatewayConfig } from "../../src/schemas/config/GatewayConfig.ts"
import { serverConfig, type ServerConfig } from "../../src/schemas/connection/ServerConfig.ts"
import { ConfigSource } from "../../src/services/config/ConfigSource.ts"
import { McpRuntime, type McpRuntimeShape } from "../../src/services/call/McpRuntime.ts"
import type { Arguments, BenchClient, ClientKind } from "./client.ts"
import type { Launch } from "./launch.ts"

/** Nothing is refused, but everything is counted, as it is for an agent that stays within its limits. */
const LIMITS: CallLimits = { ...DEFAULT_CALL_LIMITS, perMinute: 1e9, burst: 1e9, inFlight: 10_000 }

export const stdioConfig = (name: string, { args, command, env }: Launch): ServerConfig =>
  serverConfig(name, { kind: "stdio", command, args, env, cwd: undefined })

const numbered = (launches: ReadonlyArray<Launch>): ReadonlyArray<ServerConfig> =>
  launches.map((launch, index) => stdioConfig(`s${index}`, launch))

/** Pins, the audit log and long results are written as for anybody, but not into anybody's home. */
const home = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
process.once("exit", () => rmSync(home, { recursive: true, force: true }))

const gatewayConfig = (servers: ReadonlyArray<ServerConfig>): GatewayConfig => ({
  file: "bench",
  agents: [
    {
      id: "main",
      model: undefined,
      servers: servers.map((server) => ({ ...server, limits: { ...LIMITS, failures: server.limits.failures } })),
      rules: [],
      toolIndexThreshold: 0
    }
  ],
  defaultAgent: "main",
  warnings: []
})

/** Without the word there is nothing of telemetry at all; with it the configuration decides, which here leaves it off. */
interface Settings {
  readonly telemetry?: boolean
}

const startRuntime = (servers: ReadonlyArray<ServerConfig>, settings: Settings = {}) =>
  ManagedRuntime.make(
    McpLive({
      dataDirectory: home,
      ...settings,
      replace: { config: Layer.succeed(ConfigSource, { load: Effect.succeed(gatewayConfig(servers)) }) }
    }).pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error")))
  )

export interface LiveServers {
  readonly runtime: McpRuntimeShape
  readonly run: <A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal) => Promise<A>
  readonly close: () => Promise<void>
}

/** Boots a runtime and returns when every one of its servers is ready. */
export const openConfigs = async (servers: ReadonlyArray<ServerConfig>): Promise<LiveServers> => {
  const managed = startRuntime(servers)
  const runtime = await managed.runPromise(McpRuntime)
  await managed.runPromise(runtime.ready)
  const states = Object.values(await managed.runPromise(runtime.status))
  const down = states.find(({ state }) => state !== "Ready")
  if (down !== undefined) throw new Error(`a server is ${down.state}: ${down.lastError}`)
  return {
    runtime,
    run: (effect, signal) => managed.runPromise(effect, signal === undefined ? {} : { signal }),
    close: () => managed.dispose()
  }
}

export const openLive = (launches: ReadonlyArray<Launch>): Promise<LiveServers> => openConfigs(numbered(launches))

export const liveClientWith = (name: string, settings: Settings): ClientKind => ({
  name,
  open: async (launch): Promise<BenchClient> => {
    const managed = startRuntime(numbered([launch]), settings)
    const runtime = await managed.runPromise(McpRuntime)
    await managed.runPromise(runtime.ready)
    const exposed = new Map((await managed.runPromise(runtime.tools)).map(({ name, tool }) => [tool, name]))
    const call = (tool: string, given: Arguments) => runtime.call(exposed.get(tool)!, given)
    return {
      call: (tool, given) => managed.runPromise(call(tool, given)),
      loop: (count, tool, given) =>
        managed.runPromise(
          Effect.gen(function* () {
            for (let left = count; left > 0; left--) yield* call(tool, given)
          })
        ),
      close: () => managed.dispose()
    }
  }
})

export const liveClient: ClientKind = liveClientWith("mcp-live", {})
