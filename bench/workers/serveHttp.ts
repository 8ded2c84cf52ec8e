/** Small calls of the SDK's client over HTTP, some in flight, at a bare server and at what puts a server over stdio behind HTTP. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { fileURLToPath } from "node:url"
import { TEXT } from "../cases/call.ts"
import { BARE, CALLS, IN_FLIGHT, nameOf, ROUNDS, SERVED } from "../cases/serveHttp.ts"
import { expectText } from "../lib/client.ts"
import { startPeers } from "../lib/httpPeers.ts"
import { listening } from "../lib/launch.ts"
import { interleave } from "../lib/rounds.ts"
import { serveHttp, TOKEN } from "../lib/serveHttp.ts"

const bareServer = fileURLToPath(new URL("../servers/bareHttp.ts", import.meta.url))

const bare = {
  name: BARE,
  tool: "echo",
  url: await listening({ command: process.execPath, args: [bareServer], env: {} })
}
const served = { name: SERVED, tool: "mcp_s_echo", url: await serveHttp() }
const peers = (await startPeers()).map((peer) => ({ ...peer, tool: "echo" }))

const clients = await Promise.all(
  [bare, served, ...peers].map(async ({ name, tool, url }) => {
    const client = new Client({ name: "bench", version: "1.0.0" })
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
    await client.listTools()
    return { client, name, tool }
  })
)

const samples = await interleave(
  clients.flatMap(({ client, name, tool }) =>
    IN_FLIGHT.map((inFlight) => {
      const one = async () => {
        for (let left = CALLS / inFlight; left > 0; left--) {
          expectText(await client.callTool({ name: tool, arguments: { text: TEXT } }), TEXT)
        }
      }
      return {
        name: nameOf(name, inFlight),
        block: async () => void (await Promise.all(Array.from({ length: inFlight }, one)))
      }
    })
  ),
  ROUNDS
)
await Promise.all(clients.map(({ client }) => client.close()))
process.stdout.write(`${JSON.stringify(samples)}\n`)
process.exit(0)
