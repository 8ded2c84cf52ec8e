/** Everything that `loadMCPServers` gives of the servers. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadMCPServers } from "../../../src/programs/loadMCPServers.ts"
import type { MCPToolProvider } from "../../../src/programs/loadMCPServers/provider.ts"
import {
  BESIDE,
  BROKEN,
  ERRORS,
  handlesIn,
  makeGathering,
  NAMES,
  RESULTS,
  servers,
  TEXTS,
  type Gathered,
  type Gathering
} from "./gathered.ts"

/** What a promise rejects with, whatever it is. */
const rejected = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "it did not fail",
    (error) => error
  )

const calls = async ({ take, takeContent }: Gathering, provider: MCPToolProvider) => {
  const call = (name: string, params: unknown) =>
    provider
      .tools()
      .find((tool) => tool.name === name)!
      .execute("1", params)
  const say = provider.tools().find(({ name }) => name === "main__say")!
  for (const text of NAMES) {
    const ask = (channel: string) => say.execute("1", { channel, text })
    for (const channel of RESULTS) takeContent(`result: ${channel}`, await ask(channel))
    for (const channel of ERRORS) takeContent(`error: ${channel}`, await ask(channel))
    for (const channel of BESIDE) await ask(channel)
    await say.execute("1", { channel: "progress", text }, undefined, (update) => take("progress", update))
    for (const handle of handlesIn(await ask("long"))) {
      takeContent("read more", await call("mcp_read_more", { handle, grep: "quoth" }))
    }
  }
  for (const tool of provider.tools().filter(({ label }) => label.startsWith("MCP: main/quoth"))) {
    takeContent("result: of a hostile name", await tool.execute("1", {}))
  }
  for (const channel of ["elicit", "sample"])
    for (let i = 0; i < 8; i++) await say.execute("1", { channel, text: "all" })
}

const reads = async ({ take, takeContent }: Gathering, provider: MCPToolProvider) => {
  const call = (name: string, params: unknown) =>
    provider
      .tools()
      .find((tool) => tool.name === name)!
      .execute("1", params)
  for (const { server, uri } of await provider.resources()) {
    if (server !== "main") continue
    takeContent("resource", await provider.readResource(uri, server))
    takeContent("resource tool", await call("main__read_resource", { uri }))
  }
  for (const uri of ["z://a", ...NAMES.map((name) => `y://${TEXTS[name]}/1`)]) {
    take("resource: error", await rejected(provider.readResource(uri, "main")))
  }
  takeContent("resource list", await call("main__list_resources", {}))
  takeContent("resource context", { content: [{ type: "text", text: await provider.resourceContext() }] as never })
  for (const { name, server } of await provider.prompts()) {
    if (server !== "main") continue
    const filled = await provider.getPrompt(name)
    take("prompt", filled)
    for (const message of filled.messages) takeContent("prompt", message)
    take("prompt: error", await rejected(provider.getPrompt(name, { fine: "fail" })))
    take("completion", await provider.complete({ type: "prompt", name }, { name: "fine" }))
    const failing = { name: "fine", value: "fail" }
    take("completion: error", await rejected(provider.complete({ type: "prompt", name }, failing)))
  }
}

const broken = async ({ take, takeContent }: Gathering, provider: MCPToolProvider) => {
  const die = provider.tools().find(({ name }) => name === "main__die")!
  takeContent("unavailable", await die.execute("1", { text: "all" }))
  takeContent("unavailable", await die.execute("1", { text: "all" }))
  for (const name of ["main", ...BROKEN]) {
    take("unavailable", await rejected(provider.readResource("x://a", name)))
    take("unavailable", await rejected(provider.getPrompt(`${name}/x`)))
  }
  take("status", provider.statusDetails())
}

export const gatherFromLibrary = async (): Promise<Gathered> => {
  const gathering = makeGathering()
  const { gathered, take } = gathering
  const folder = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
  const provider = await loadMCPServers({ servers: servers({ era: "legacy" }), toolIndex: false }, undefined, {
    dataDirectory: folder,
    runtimeTools: true,
    onLog: (record) => take("logs", record),
    onSamplingRequest: async (request) => {
      take("sampling", request)
      return { text: "an answer", model: "a model" }
    },
    onElicitationRequest: async (request) => {
      take("elicitation", request)
      return { action: "accept", content: { fine: "yes" } }
    }
  })
  try {
    take("tools", [provider.tools(), await provider.allTools()])
    take("resources", await provider.resources())
    take("templates", await provider.resourceTemplates())
    take("prompts", await provider.prompts())
    await calls(gathering, provider)
    await reads(gathering, provider)
    await broken(gathering, provider)
  } finally {
    await provider.close()
    rmSync(folder, { recursive: true, force: true })
  }
  take("status", provider.statusDetails())
  return gathered
}
