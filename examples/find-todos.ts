// Lists every open to-do of a workspace. Run it with: npx tsx examples/find-todos.ts [folder]
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { McpLive, McpRuntime } from "mcp-live"

const folder = process.argv[2] ?? "."

/** The plain text of a filesystem tool's result: `structuredContent` is for programs, `content` for models. */
const read = Effect.fn("read")(function* (tool: string, args: Record<string, unknown>) {
  const runtime = yield* McpRuntime
  const { structuredContent } = yield* runtime.call(`mcp_filesystem_${tool}`, args)
  return String((structuredContent as { content?: string } | undefined)?.content ?? "")
})

const program = Effect.gen(function* () {
  const files = (yield* read("search_files", { path: folder, pattern: "**/*.md" }))
    .split("\n")
    .filter((file) => file.endsWith(".md"))
  const texts = yield* Effect.forEach(files, (path) => read("read_text_file", { path }), { concurrency: 8 })
  for (const [i, text] of texts.entries()) {
    const open = text.split("\n").filter((line) => line.includes("- [ ]"))
    yield* Console.log(`${files[i]}: ${open.length} open`)
    for (const line of open) yield* Console.log(`  ${line.trim()}`)
  }
})

program.pipe(Effect.provide(McpLive({ config: "examples/openclaw.json" })), NodeRuntime.runMain)
