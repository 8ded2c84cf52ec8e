// A gateway in 20 lines: its agents get MCP tools, whatever their servers do. Run it with: npx tsx examples/gateway.ts
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { McpLive, McpRuntime } from "mcp-live"

/** What the gateway asks the runtime for when a model wants to use a tool. */
const onToolCall = Effect.fn("onToolCall")(function* (name: string, args: Record<string, unknown>) {
  const runtime = yield* McpRuntime
  return yield* runtime.call(name, args) // never fails: errors are results with `isError`
})

const gateway = Effect.gen(function* () {
  const runtime = yield* McpRuntime
  yield* Effect.forkScoped(Stream.runForEach(runtime.changes, () => Effect.log("the tools may have changed")))
  yield* Effect.log(`tools for the model: ${(yield* runtime.tools).map((tool) => tool.name).join(", ")}`)
  yield* Effect.log(yield* onToolCall("mcp_everything_echo", { message: "hello" }))
})

gateway.pipe(Effect.scoped, Effect.provide(McpLive({ config: "examples/openclaw.json" })), NodeRuntime.runMain)
