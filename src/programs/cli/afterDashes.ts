/** What stands behind `--`: the command line of another program. Nothing in it is an option, or an argument, of ours. */
import * as Context from "effect/Context"

/** `undefined` where there is no `--`. */
export class Words extends Context.Reference<ReadonlyArray<string> | undefined>("mcp-live/programs/cli/Words", {
  defaultValue: (): ReadonlyArray<string> | undefined => undefined
}) {}

export interface Split {
  readonly own: ReadonlyArray<string>
  readonly words: ReadonlyArray<string> | undefined
}

/** For `serve` alone: to others a `--` says what it always says. */
export const splitWords = (args: ReadonlyArray<string>): Split => {
  const end = args.indexOf("--")
  return end === -1 || !args.slice(0, end).includes("serve")
    ? { own: args, words: undefined }
    : { own: args.slice(0, end), words: args.slice(end + 1) }
}
