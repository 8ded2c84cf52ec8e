/** mcp-live: the whole pipeline of `McpRuntime.call`, composed by `McpLive` as a gateway would have it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as References from "effect/References"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { McpLive } from "../../src/layers/McpLive.ts"
import { DEFAULT_CALL_LIMITS, type CallLimits } from "../../src/schemas/CallLimits.ts"
import type { GatewayConfig } from "../../src/schemas/GatewayConfig.ts"
import { serverConfig, type ServerConfig } from "../../src/schemas/ServerConfig.ts"
import { ConfigSource } from "../../src/services/ConfigSource.ts"
import { McpRuntime, type McpRuntimeShape } from "../../src/services/McpRuntime.ts"
import type { Arguments, BenchClient, ClientKind } from "./client.ts"
import type { Launch } from "./launch.ts"

/** Nothing is refused, but everything is counted, as it is for an agent that stays within its limits. */
const LIMITS: CallLimits = { ...DEFAULT_CALL_LIMITS, perMinute: 1e9, burst: 1e9, inFlight: 10_000 }

const configOf = (name: string, { args, command, env }: Launch): ServerConfig => ({
  ...serverConfig(name, { kind: "stdio", command, args, env, cwd: undefined }),
  limits: LIMITS
})

/** Pins, the audit log and long results are written as for anybody, but not into anybody's home. */
const home = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
process.once("exit", () => rmSync(home, { recursive: true, force: true }))

const gatewayConfig = (launches: ReadonlyArray<Launch>): GatewayConfig => ({
  file: "bench",
  agents: [
    {
      id: "main",
      model: undefined,
      servers: launches.map((launch, index) => configOf(`s${index}`, launch)),
      rules: [],
      toolIndexThreshold: 0
    }
  ],
  defaultAgent: "main",
  warnings: []
})

const startRuntime = (launches: ReadonlyArray<Launch>) =>
  ManagedRuntime.make(
    McpLive({
      dataDirectory: home,
      replace: { config: Layer.succeed(ConfigSource, { load: Effect.succeed(gatewayConfig(launches)) }) }
    }).pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error")))
  )

export interface LiveServers {
  readonly runtime: McpRuntimeShape
  readonly close: () => Promise<void>
}

/** Boots a runtime and returns when every one of its servers is ready. */
export const openLive = async (launches: ReadonlyArray<Launch>): Promise<LiveServers> => {
  const managed = startRuntime(launches)
  const runtime = await managed.runPromise(McpRuntime)
  await managed.runPromise(runtime.ready)
  const states = Object.values(await managed.runPromise(runtime.status))
  const down = states.find(({ state }) => state !== "Ready")
  if (down !== undefined) throw new Error(`a server is ${down.state}: ${down.lastError}`)
  return { runtime, close: () => managed.dispose() }
}

export const liveClient: ClientKind = {
  name: "mcp-live",
  open: async (launch): Promise<BenchClient> => {
    const managed = startRuntime([launch])
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
}
