/** `mcp-live reset` and `mcp-live stop`: start a server of the running gateway over, or stop it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { renderArrival } from "../../../schemas/content/Rendering.ts"
import { chosenServer, EXIT_FAILED, ExitWith, root } from "../command.ts"
import { print, printJson, visible } from "../output.ts"
import { gatewayFlag } from "../running/choice.ts"
import type { CommandRuntime } from "../running/client.ts"
import { withRunningGateway } from "../running/withGateway.ts"
import { serverSoon } from "./arrival.ts"

const server = Argument.String("server").pipe(Argument.withDescription("Its name in the configuration"))

const show = Effect.fnUntraced(function* (runtime: CommandRuntime, name: string) {
  const { json } = yield* root
  const status = (yield* runtime.status)[name]!
  yield* json
    ? printJson({ agent: runtime.agent, servers: { [name]: status } })
    : print(visible(renderArrival(name, status)))
  return status
})

/** An unknown name is wrong usage. */
const named = (runtime: CommandRuntime, name: string) => chosenServer(runtime, Option.some(name))

export const reset = Command.make(
  "reset",
  { server, gateway: gatewayFlag },
  Effect.fnUntraced(function* ({ server, gateway }) {
    yield* withRunningGateway(
      gateway,
      Effect.fnUntraced(function* (runtime) {
        yield* named(runtime, server)
        yield* runtime.reset(server)
        yield* serverSoon(runtime, server)
        const { state } = yield* show(runtime, server)
        if (state !== "Ready") return yield* new ExitWith({ code: EXIT_FAILED })
      })
    )
  })
).pipe(
  Command.withDescription(
    "Start a server of the running gateway over, in any state, and wait until it is ready; the exit code is 1 if it is not"
  ),
  Command.withShortDescription("Start a server of the running gateway over")
)

export const stop = Command.make(
  "stop",
  { server, gateway: gatewayFlag },
  Effect.fnUntraced(function* ({ server, gateway }) {
    yield* withRunningGateway(
      gateway,
      Effect.fnUntraced(function* (runtime) {
        yield* named(runtime, server)
        yield* runtime.stop(server)
        yield* show(runtime, server)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Stop a server of the running gateway until 'mcp-live reset', an edit of its entry, or the next start of the gateway"
  ),
  Command.withShortDescription("Stop a server of the running gateway")
)
