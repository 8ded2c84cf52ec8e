/** Other programs that put a server over stdio behind HTTP, where they are installed (`npm ci` in tools/http-peers). */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { freePort, listened } from "./ports.ts"
import { launch, rawServer } from "./launch.ts"

const modules = new URL("../../tools/http-peers/node_modules/", import.meta.url)
const script = (path: string) => fileURLToPath(new URL(path, modules))

interface HttpPeer {
  readonly name: string
  readonly script: string
  readonly args: (port: string, command: ReadonlyArray<string>) => ReadonlyArray<string>
}

const PEERS: ReadonlyArray<HttpPeer> = [
  {
    name: "supergateway",
    script: script("supergateway/dist/index.js"),
    args: (port, command) => {
      const how = ["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"]
      return ["--stdio", command.join(" "), ...how, "--port", port]
    }
  },
  {
    name: "mcp-proxy",
    script: script("mcp-proxy/dist/bin/mcp-proxy.mjs"),
    args: (port, command) => ["--port", port, "--server", "stream", "--", ...command]
  }
]

/** The addresses of those that are installed, for as long as this process lives. */
export const startPeers = (): Promise<ReadonlyArray<{ readonly name: string; readonly url: string }>> =>
  Promise.all(
    PEERS.filter((peer) => existsSync(peer.script)).map(async ({ args, name, script }) => {
      const port = await freePort()
      const { args: given, command, env } = rawServer()
      launch({ command: process.execPath, args: [script, ...args(String(port), [command, ...given])], env })
      await listened(port)
      return { name, url: `http://127.0.0.1:${port}/mcp` }
    })
  )
