/** `mcp-live status`: the state of each server. It starts the servers, to see whether they can be started. */
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
        // Definitions are reviewed when they are read.
        yield* runtime.allTools
        const servers = yield* runtime.status
        const late = connectingIn(servers)
        yield* json ? printJson({ agent: runtime.agent, servers, connecting: late }) : printStatus(servers)
        yield* tellMissing(servers)
        for (const note of pinNotes(servers)) yield* complain(note)
      })
    )
  })
).pipe(Command.withDescription("Start the servers, show the state of each, and stop them"))
