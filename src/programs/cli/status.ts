/** `mcp-live status`: how each server is doing. Servers are started for it, so it shows whether they can be. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { renderFailures, renderStatus } from "../../schemas/Rendering.ts"
import { root, withRuntime } from "./command.ts"
import { complain, print, printJson } from "./output.ts"
import { pinNotes } from "./pinsText.ts"

export const status = Command.make(
  "status",
  {},
  Effect.fnUntraced(function* () {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        yield* runtime.ready
        // How definitions stand is known only once somebody has looked at them.
        yield* runtime.allTools
        const servers = yield* runtime.status
        yield* json
          ? printJson({ agent: runtime.agent, servers })
          : print([renderStatus(servers), ...renderFailures(servers)].join("\n"))
        for (const note of pinNotes(servers)) yield* complain(note)
      })
    )
  })
).pipe(Command.withDescription("Start the servers, show how each is doing, and stop them"))
