/** The official SDK v1 as its documentation shows it: its own transports, `listTools`, `callTool`. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { MakeSubject, Target } from "./subject.ts"

const transportOf = (target: Target): Transport =>
  target.kind === "stdio"
    ? new StdioClientTransport({
        command: target.command,
        args: [...target.args],
        env: { ...target.env },
        stderr: "ignore"
      })
    : // Its optional members are not written for `exactOptionalPropertyTypes`.
      (new StreamableHTTPClientTransport(new URL(target.url), {
        requestInit: { headers: { ...target.headers } }
      }) as Transport)

export const sdkV1: MakeSubject = (target, { sse, timeoutMs: timeout }) => {
  const make = () => new Client({ name: "bench", version: "1.0.0" })
  let client = make()
  return {
    connect: async () => {
      try {
        await client.connect(transportOf(target), { timeout })
      } catch (error) {
        if (!sse || target.kind === "stdio") throw error
        client = make()
        await client.connect(new SSEClientTransport(new URL(target.url)), { timeout })
      }
    },
    list: async () =>
      (await client.listTools(undefined, { timeout })).tools.map((tool) => ({ name: tool.name, shown: tool })),
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: { ...args } }, undefined, { timeout })
      return { shown: [result["content"], result["structuredContent"]], isError: result["isError"] === true }
    },
    read: async (uri) => ({ shown: (await client.readResource({ uri }, { timeout })).contents, isError: false }),
    prompt: async (name) => ({ shown: (await client.getPrompt({ name }, { timeout })).messages, isError: false }),
    close: () => client.close()
  }
}
