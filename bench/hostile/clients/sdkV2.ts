/** The official SDK v2 as its documentation shows it: its own transports, `listTools`, `callTool`. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { MakeSubject, Target } from "./subject.ts"

const transportOf = (target: Target): Transport =>
  target.kind === "stdio"
    ? new StdioClientTransport({
        command: target.command,
        args: [...target.args],
        env: { ...target.env },
        stderr: "ignore"
      })
    : new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers: { ...target.headers } } })

export const sdkV2: MakeSubject = (target, { modern, sse, timeoutMs: timeout }) => {
  // By itself it speaks the older revisions alone, and asking for both has it start a stdio server twice.
  const mode = modern ? "auto" : "legacy"
  const make = () => new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode } })
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
      const { content, isError, structuredContent } = await client.callTool(
        { name, arguments: { ...args } },
        { timeout }
      )
      return { shown: [content, structuredContent], isError: isError === true }
    },
    read: async (uri) => ({ shown: (await client.readResource({ uri }, { timeout })).contents, isError: false }),
    prompt: async (name) => ({ shown: (await client.getPrompt({ name }, { timeout })).messages, isError: false }),
    close: () => client.close()
  }
}
