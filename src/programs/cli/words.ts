/** What stands behind `--`: the command line of another program. Nothing in it is an option, or an argument, of ours. */
import * as Context from "effect/Context"

export class Words extends Context.Reference<ReadonlyArray<string>>("mcp-live/programs/cli/Words", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

export interface Split {
  readonly own: ReadonlyArray<string>
  readonly words: ReadonlyArray<string>
}

/** For `serve` alone: to others a `--` says what it always says. */
export const splitWords = (args: ReadonlyArray<string>): Split => {
  const end = args.indexOf("--")
  return end === -1 || !args.slice(0, end).includes("serve")
    ? { own: args, words: [] }
    : { own: args.slice(0, end), words: args.slice(end + 1) }
}
