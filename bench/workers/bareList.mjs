// What listing the tools of one server costs without us: Node, the official SDK v2, one server.
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

const { args, command, env } = JSON.parse(process.argv[2])
const client = new Client({ name: "bare", version: "1.0.0" })
await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }))
process.stdout.write(`${JSON.stringify(await client.listTools())}\n`)
await client.close()
