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

/** Runs `use` with the runtime of the gateway, if it has that server; an unknown name is wrong usage. */
const steering = <A, E, R>(use: (runtime: CommandRuntime, name: string) => Effect.Effect<A, E, R>) =>
  Effect.fnUntraced(function* ({
    gateway,
    server
  }: {
    readonly server: string
    readonly gateway: Option.Option<number>
  }) {
    yield* withRunningGateway(
      gateway,
      Effect.fnUntraced(function* (runtime) {
        yield* chosenServer(runtime, Option.some(server))
        yield* use(runtime, server)
      })
    )
  })

export const reset = Command.make(
  "reset",
  { server, gateway: gatewayFlag },
  steering(
    Effect.fnUntraced(function* (runtime, name) {
      yield* runtime.reset(name)
      yield* serverSoon(runtime, name)
      const { state } = yield* show(runtime, name)
      if (state !== "Ready") return yield* new ExitWith({ code: EXIT_FAILED })
    })
  )
).pipe(
  Command.withDescription(
    "Start a server of the running gateway over, in any state, and wait until it is ready; the exit code is 1 if it is not"
  ),
  Command.withShortDescription("Start a server of the running gateway over")
)

export const stop = Command.make(
  "stop",
  { server, gateway: gatewayFlag },
  steering((runtime, name) => Effect.andThen(runtime.stop(name), show(runtime, name)))
).pipe(
  Command.withDescription(
    "Stop a server of the running gateway until 'mcp-live reset', an edit of its entry, or the next start of the gateway"
  ),
  Command.withShortDescription("Stop a server of the running gateway")
)
