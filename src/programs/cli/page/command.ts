/** `mcp-live ui`: opens the page of the running gateway in a browser. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { root } from "../command.ts"
import { complain, print, printJson } from "../output.ts"
import { openBrowser } from "../questions/browser.ts"
import { gatewayFlag } from "../running/choice.ts"
import { withRunningGateway } from "../running/withGateway.ts"

export const ui = Command.make(
  "ui",
  {
    print: Flag.Boolean("print").pipe(
      Flag.withDescription("Only print the address, which lets one browser of this machine in, within ten minutes"),
      Flag.withDefault(false)
    ),
    readOnly: Flag.Boolean("read-only").pipe(
      Flag.withDescription("The page only shows, and changes nothing"),
      Flag.withDefault(false)
    ),
    gateway: gatewayFlag
  },
  Effect.fnUntraced(function* ({ gateway, print: onlyPrint, readOnly }) {
    const { json } = yield* root
    yield* withRunningGateway(
      gateway,
      Effect.fnUntraced(function* (_, operator) {
        const url = yield* operator.openPage(readOnly)
        if (json) return yield* printJson({ url })
        if (onlyPrint) return yield* print(url)
        if (yield* openBrowser(url)) return yield* complain("your browser has been started with the page")
        yield* complain("no browser can be started here: open this address on this machine within ten minutes")
        yield* print(url)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Open the page of the running gateway in a browser of this machine, where you see and steer what it does. The gateway need not have been started with --ui"
  ),
  Command.withShortDescription("Open the page of the running gateway in a browser"),
  Command.withExamples([
    { command: "mcp-live ui", description: "In the browser of this desktop" },
    { command: "mcp-live ui --print", description: "Where there is none: over SSH with a forwarded port, for example" }
  ])
)
