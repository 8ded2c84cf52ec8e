/** `mcp-live status`: how each server is doing. Servers are started for it, so it shows whether they can be. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { root, withRuntime } from "./command.ts"
import { complain, printJson, printStatus } from "./output.ts"
import { pinNotes } from "./pinsText.ts"
import { connecting, tellingWait } from "./waiting.ts"

export const status = Command.make(
  "status",
  {},
  Effect.fnUntraced(function* () {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        yield* tellingWait(runtime.ready, connecting(runtime))
        // How definitions stand is known only once somebody has looked at them.
        yield* runtime.allTools
        const servers = yield* runtime.status
        yield* json ? printJson({ agent: runtime.agent, servers }) : printStatus(servers)
        for (const note of pinNotes(servers)) yield* complain(note)
      })
    )
  })
).pipe(Command.withDescription("Start the servers, show how each is doing, and stop them"))
