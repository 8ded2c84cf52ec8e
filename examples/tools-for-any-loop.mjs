// MCP tools in plain JavaScript, for any agent loop. Run it with: npx node examples/tools-for-any-loop.mjs [folder]
import { loadMCPServers } from "mcp-live"

const folder = process.argv[2] ?? "examples/workspace"

const provider = await loadMCPServers(
  {
    servers: {
      files: {
        type: "stdio",
        command: "node",
        args: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", folder]
      }
    }
  },
  undefined,
  {
    policy: { deny: ["files/write_*", "files/edit_*", "files/move_*"] },
    onLog: ({ level, message, server }) => console.error(level, server ?? "", message)
  }
)

try {
  for (const { description, name } of provider.tools()) console.log(`${name}: ${description.split(/[.\n]/)[0]}`)

  // What a loop does when its model calls a tool. It never throws: errors are results with `isError`.
  const tool = provider.tools().find(({ name }) => name === "files__list_directory")
  const { content, isError } = await tool.execute("call-1", { path: "." }, AbortSignal.timeout(10_000))
  console.log(isError ? "failed:" : "the model reads:")
  for (const block of content) console.log(block.type === "text" ? block.text : `[${block.mimeType}]`)
} finally {
  await provider.close()
}
