/** What follows `--`: the command line of another program. Nothing in it is an option or argument of ours. */
import * as Context from "effect/Context"

/** `undefined` without `--`. */
export class Words extends Context.Reference<ReadonlyArray<string> | undefined>("mcp-live/programs/cli/Words", {
  defaultValue: (): ReadonlyArray<string> | undefined => undefined
}) {}

export interface Split {
  readonly own: ReadonlyArray<string>
  readonly words: ReadonlyArray<string> | undefined
}

/** Only for `serve`: for the other commands `--` has its usual meaning. */
export const splitWords = (args: ReadonlyArray<string>): Split => {
  const end = args.indexOf("--")
  return end === -1 || !args.slice(0, end).includes("serve")
    ? { own: args, words: undefined }
    : { own: args.slice(0, end), words: args.slice(end + 1) }
}
