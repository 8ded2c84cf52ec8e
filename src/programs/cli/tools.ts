/** `mcp-live tools`: what an agent may call. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { renderFailures, renderTools } from "../../schemas/Rendering.ts"
import { root, withRuntime } from "./command.ts"
import { columns, complain, print, printJson } from "./output.ts"

export const tools = Command.make(
  "tools",
  {},
  Effect.fnUntraced(function* () {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        // The listing wakes lazy servers; then all that are on their way are waited for.
        yield* runtime.tools
        yield* runtime.ready
        const [all, servers] = yield* Effect.all([runtime.tools, runtime.status])
        if (json) return yield* printJson({ agent: runtime.agent, tools: all, servers })
        yield* print(renderTools(all, columns()))
        for (const failure of renderFailures(servers)) yield* complain(failure)
      })
    )
  })
).pipe(Command.withDescription("List the tools that an agent may use"))
