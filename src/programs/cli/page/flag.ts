/** `--ui` of the commands that stay: they serve the page from the beginning, and say where it is. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { ControlPage } from "../../../services/control/ControlPage.ts"
import { complain } from "../output.ts"

/** Stands for the value that is left out. */
const AS_CONFIGURED = "configured"
const READ_ONLY = "read-only"

const COMMANDS: ReadonlySet<string> = new Set(["start", "serve"])

/** Gives `--ui` its value where it has none: one that it has follows `=`. */
export const withUi = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.some((arg) => COMMANDS.has(arg)) ? args.map((arg) => (arg === "--ui" ? `--ui=${AS_CONFIGURED}` : arg)) : args

export const uiFlag = Flag.ChoiceWithValue("ui", [
  [READ_ONLY, { readOnly: true }],
  [AS_CONFIGURED, {}]
]).pipe(
  Flag.withMetavar(READ_ONLY),
  Flag.withDescription(
    `Serve the page of this gateway to browsers of this machine, and print its address on stderr; --ui=${READ_ONLY} for one that changes nothing`
  ),
  Flag.optional
)

export type UiChoice = Option.Option<{ readonly readOnly?: true }>

/** Says the address of the page if the flag is given. Without the page, everything else still works. */
export const tellPage = Effect.fnUntraced(function* (choice: UiChoice, { address }: ControlPage["Service"]) {
  if (Option.isNone(choice)) return
  yield* address({}).pipe(
    Effect.flatMap((url) => complain(`the page of this gateway, for one browser within ten minutes: ${url}`)),
    Effect.catch(({ message }) => complain(message))
  )
})
