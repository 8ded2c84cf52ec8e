// Two servers in one program: what the filesystem server finds, the memory server remembers.
// Run it with: npx tsx examples/remember-files.ts [folder]
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { McpLive, McpRuntime } from "mcp-live"

const folder = process.argv[2] ?? "."

const program = Effect.gen(function* () {
  const { call } = yield* McpRuntime
  const listing = yield* call("mcp_filesystem_list_directory", { path: folder })
  const { content = "" } = (listing.structuredContent ?? {}) as { content?: string }
  const files = content
    .split("\n")
    .flatMap((line) => (line.startsWith("[FILE] ") ? [line.slice("[FILE] ".length)] : []))
  const entities = files.map((name) => ({ name, entityType: "file", observations: [`lies in ${folder}`] }))
  const stored = yield* call("mcp_memory_create_entities", { entities })
  yield* Console.log(stored.isError ? stored.content : `remembered ${files.length} files of ${folder}`)
  const graph = yield* call("mcp_memory_read_graph", {})
  yield* Console.log(JSON.stringify(graph.structuredContent, null, 2))
})

program.pipe(Effect.provide(McpLive({ config: "examples/openclaw.json" })), NodeRuntime.runMain)
