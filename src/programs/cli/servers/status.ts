/** `mcp-live status`: how each server is doing. Servers are started for it, so it shows whether they can be. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { soonEnough, tellMissing, waitFlag } from "./arrival.ts"
import { root, withRuntime } from "../command.ts"
import { complain, printJson, printStatus } from "../output.ts"
import { pinNotes } from "../pins/text.ts"
import { connecting, connectingIn, tellingWait } from "./waiting.ts"

export const status = Command.make(
  "status",
  { wait: waitFlag },
  Effect.fnUntraced(function* ({ wait }) {
    const { json } = yield* root
    yield* withRuntime(
      Effect.fnUntraced(function* (runtime) {
        yield* tellingWait(wait ? runtime.ready : soonEnough(runtime, runtime.ready), connecting(runtime))
        // How definitions stand is known only once somebody has looked at them.
        yield* runtime.allTools
        const servers = yield* runtime.status
        const late = connectingIn(servers)
        yield* json ? printJson({ agent: runtime.agent, servers, connecting: late }) : printStatus(servers)
        yield* tellMissing(servers)
        for (const note of pinNotes(servers)) yield* complain(note)
      })
    )
  })
).pipe(Command.withDescription("Start the servers, show how each is doing, and stop them"))
