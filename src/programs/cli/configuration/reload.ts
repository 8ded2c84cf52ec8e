/** `mcp-live reload`: the running gateway reads its configuration again. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { unreadLines } from "../../../schemas/config/ConfigState.ts"
import { EXIT_USAGE, ExitWith, root } from "../command.ts"
import { complain, print, printJson, visible } from "../output.ts"
import { gatewayFlag } from "../running/choice.ts"
import { withRunningGateway } from "../running/withGateway.ts"
import { configurationLines, KEPT, reloadedText } from "./rendering.ts"

export const reload = Command.make(
  "reload",
  { gateway: gatewayFlag },
  Effect.fnUntraced(function* ({ gateway }) {
    const { json } = yield* root
    yield* withRunningGateway(
      gateway,
      Effect.fnUntraced(function* (runtime, operator) {
        const reloaded = yield* operator.reload.pipe(
          Effect.catchTag("ConfigError", ({ issues, message }) =>
            Effect.andThen(
              json ? printJson({ error: { tag: "ConfigError", issues } }) : complain(`${KEPT}\n${visible(message)}`),
              new ExitWith({ code: EXIT_USAGE })
            )
          )
        )
        yield* json ? printJson(reloaded) : print(visible(reloadedText(reloaded)))
        // What changed in the file before this has waited since then.
        const configuration = runtime.configuration === undefined ? undefined : yield* runtime.configuration
        const isNew = reloaded.change.needsRestart.length > 0
        const lines =
          configuration === undefined || isNew ? unreadLines(reloaded.unread) : configurationLines(configuration)
        for (const line of lines) yield* complain(line)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Read the configuration of the running gateway again, and its secrets: only servers whose entry or secret has changed restart. If the file cannot be used, the previous one stays in effect, and the exit code is 2"
  ),
  Command.withShortDescription("Read the configuration of the running gateway again")
)
