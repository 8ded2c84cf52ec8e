/** `mcp-live sessions`: lists the stored conversations of agent requests and of editors. Starts no server and changes no file. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { dataDirectory, ordersDirectory } from "../../../schemas/config/DataDirectory.ts"
import { renderSessions, rowsOf } from "../../../schemas/agent/SessionListing.ts"
import { root, withLogLevel } from "../command.ts"
import { columns, complain, print, printJson } from "../output.ts"
import { untilStopped } from "../signals.ts"

export const sessions = Command.make(
  "sessions",
  {},
  Effect.fnUntraced(function* () {
    const { json } = yield* root
    const { surveyConversations } = yield* Effect.promise(() => import("../../../layers/agent/AgentGateway.ts"))
    const surveys = yield* Effect.forEach([dataDirectory(), ordersDirectory()], surveyConversations).pipe(
      untilStopped,
      withLogLevel("Warn")
    )
    const kept = surveys.flatMap((one) => one.kept)
    const broken = surveys.flatMap((one) => one.broken)
    const rows = rowsOf({ kept, broken })
    yield* json ? printJson({ sessions: rows, broken }) : print(renderSessions(rows, columns()))
    for (const { file, reason } of broken) yield* complain(`${file} is left out: it cannot be read (${reason})`)
  })
).pipe(
  Command.withDescription("List the stored conversations: of agent requests (mcp-server) and of editors (acp)"),
  Command.withShortDescription("List the stored conversations")
)
