/** Real servers behind `loadMCPServers`, and an HTTP server that stands for a model provider. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { loadMCPServers } from "../../src/programs/loadMCPServers.ts"
import type { MCPToolProvider } from "../../src/programs/loadMCPServers/provider.ts"
import type { ExecuteResult } from "../../src/programs/loadMCPServers/Tool.ts"
import { hostile, serverPath } from "../fixtures/servers.ts"

export const loaded = () =>
  loadMCPServers({
    servers: {
      everything: { type: "stdio", command: process.execPath, args: [serverPath("everything"), "stdio"] },
      slow: { type: "stdio", ...hostile("polite") }
    }
  })

export const textOf = ({ content }: Pick<ExecuteResult, "content">) =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n")

/** The methods that the server `slow` has received so far; to ask is itself a call. */
export const received = async (provider: MCPToolProvider): Promise<ReadonlyArray<string>> => {
  const tool = provider.tools().find(({ name }) => name === "slow__received")!
  const { structuredContent } = await tool.execute("received", {})
  return (structuredContent as { messages: ReadonlyArray<{ method: string }> }).messages.map(({ method }) => method)
}

export const count = (methods: ReadonlyArray<string>, method: string) =>
  methods.filter((candidate) => candidate === method).length

/** Asks the server `slow` until it has received what is waited for; `asked` is how often. */
export const until = async (
  provider: MCPToolProvider,
  done: (methods: ReadonlyArray<string>, asked: number) => boolean
) => {
  for (let asked = 1; !done(await received(provider), asked); asked++);
}

type Body = Record<string, unknown>

/** Writes down what it is sent and answers from a script. */
export const modelProvider = async (...replies: ReadonlyArray<unknown>) => {
  const requests: Array<Body> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      requests.push(JSON.parse(Buffer.concat(chunks).toString()) as Body)
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(replies[requests.length - 1]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
