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

/** The flags of every command that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set("--config -c --agent -a --workspace -w --log-level".split(" "))

/** The first word that is neither a flag nor the value of one. */
const commandIn = (args: ReadonlyArray<string>): string | undefined =>
  args.find((arg, i) => !arg.startsWith("-") && !WITH_VALUE.has(args[i - 1] ?? ""))

const TAKE_COMMANDS: ReadonlySet<string | undefined> = new Set(["serve", "add"])

/** Only for the commands that take one: for others `--` has its usual meaning. */
export const splitWords = (args: ReadonlyArray<string>): Split => {
  const end = args.indexOf("--")
  return end === -1 || !TAKE_COMMANDS.has(commandIn(args.slice(0, end)))
    ? { own: args, words: undefined }
    : { own: args.slice(0, end), words: args.slice(end + 1) }
}
