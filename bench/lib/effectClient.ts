/** The MCP client that ships with Effect. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as ChildProcess from "effect/process/ChildProcess"
import type { Arguments, ClientKind } from "./client.ts"

export const effectClient: ClientKind = {
  name: "effect McpClient",
  open: async ({ args, command, env }) => {
    const runtime = ManagedRuntime.make(
      McpClient.layerStdio({
        name: "bench",
        version: "1.0.0",
        protocol: McpProtocol.v2025_11_25,
        command: ChildProcess.make(command, args, { env: { ...env, PATH: process.env["PATH"] } })
      }).pipe(Layer.provide(NodeServices.layer))
    )
    const client = await runtime.runPromise(McpClient.McpClient)
    const tools = new Map((await runtime.runPromise(client.listTools())).map((tool) => [tool.name, tool]))
    const call = (name: string, given: Arguments) =>
      client.callTool({ tool: tools.get(name)!, arguments: { ...given } })
    return {
      call: (name, given) => runtime.runPromise(call(name, given)),
      loop: (count, name, given) =>
        runtime.runPromise(
          Effect.gen(function* () {
            for (let left = count; left > 0; left--) yield* call(name, given)
          })
        ),
      close: () => runtime.dispose()
    }
  }
}
