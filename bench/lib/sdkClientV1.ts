/** The official SDK v1 as it comes, with its own stdio transport and `callTool`. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { ClientKind } from "./client.ts"

export const sdkV1: ClientKind = {
  name: "SDK v1",
  open: async ({ args, command, env }) => {
    const client = new Client({ name: "bench", version: "1.0.0" })
    await client.connect(new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: "ignore" }))
    await client.listTools()
    return {
      call: (name, given) => client.callTool({ name, arguments: { ...given } }),
      close: () => client.close()
    }
  }
}
