/** `mcp-live tools`: what an agent may call. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { renderFailures, renderTools } from "../../schemas/Rendering.ts"
import { root, settled, withRuntime } from "./command.ts"
import { columns, complain, print, printJson } from "./output.ts"
import { pinNotes } from "./pinsText.ts"

export const tools = Command.make(
  "tools",
  {},
  Effect.fnUntraced(function* () {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        yield* settled(runtime)
        const [given, all, servers] = yield* Effect.all([runtime.tools, runtime.allTools, runtime.status])
        for (const note of pinNotes(servers)) yield* complain(note)
        if (json) return yield* printJson({ agent: runtime.agent, tools: all, servers })
        yield* print(renderTools(all, columns()))
        if (given.length < all.length) {
          yield* complain(`so many tools are searched by the agent, with: ${given.map(({ name }) => name).join(", ")}`)
        }
        for (const failure of renderFailures(servers)) yield* complain(failure)
      })
    )
  })
).pipe(Command.withDescription("List the tools that an agent may use"))
