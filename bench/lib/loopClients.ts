/** mcp-live for programs without Effect: a tool of `loadMCPServers`, called by itself and as the AI SDK calls it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadMCPServers } from "../../src/programs/loadMCPServers.ts"
import type { Tool } from "../../src/programs/loadMCPServers/Tool.ts"
import type { Arguments, BenchClient, ClientKind } from "./client.ts"

/** A configuration cannot allow as many as the bench makes, but it can leave the limit out. */
const LIMITS = { perMinute: 0, inFlight: 10_000 }

type Execute = (given: Arguments) => Promise<unknown>

const kindOf = (name: string, executeOf: (tool: Tool) => Promise<Execute>): ClientKind => ({
  name,
  open: async ({ args, command, env }): Promise<BenchClient> => {
    const home = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
    const server = { type: "stdio" as const, command, args: [...args], env, limits: LIMITS }
    const provider = await loadMCPServers({ servers: { s: server } }, undefined, { dataDirectory: home })
    const executes = new Map<string, Execute>()
    for (const tool of provider.tools()) executes.set(tool.name.replace(/^s__/, ""), await executeOf(tool))
    return {
      call: (tool, given) => executes.get(tool)!(given),
      close: async () => {
        await provider.close()
        rmSync(home, { recursive: true, force: true })
      }
    }
  }
})

export const loadedTool = kindOf("loadMCPServers, tool.execute", async (tool) => (given) => tool.execute("1", given))

export const aiSdkTool = kindOf("AI SDK, tool.execute", async (tool) => {
  const { toAiSdkTools } = await import("../../src/programs/adapters/aiSdk.ts")
  const execute = toAiSdkTools([tool])[tool.name]!.execute!
  return async (given) => execute(given, { toolCallId: "1", messages: [], context: {} })
})
