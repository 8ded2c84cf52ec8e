/**
 * Entries of other programs that start mcp-live: its `exec`, which stands for the command behind it, and its servers, which must not
 * become servers of itself.
 */
import { isObject } from "../../data/Json.ts"
import { defined } from "../Fields.ts"

const PROGRAM = /(?:^|[\\/])mcp-live(?:\.js|\.cmd|\.exe)?(?:@[\w.-]+)?$/
/** At most `cmd /c npx -y`. */
const WORDS_BEFORE = 4

type Entry = Readonly<Record<string, unknown>>

/** What follows the name of our program, if an entry starts it. */
const behindProgram = ({ args, command }: Entry): ReadonlyArray<string> | undefined => {
  const words = [command, ...(Array.isArray(args) ? args : [])]
  const at = words.slice(0, WORDS_BEFORE + 1).findIndex((word) => typeof word === "string" && PROGRAM.test(word))
  return at === -1 ? undefined : words.slice(at + 1).map(String)
}

/** An export gives it to `exec`, which does not pass it on to the command. */
const HOME = "MCP_LIVE_HOME"

const CONFIG_FLAG = /^(?:--config|-c)(?:=|$)/

/** What stands behind `exec --config FILE --`; `undefined` if another flag does something to the command. */
const behindExec = (words: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const end = words.indexOf("--")
  const others = words.slice(0, Math.max(end, 0)).filter((word, i, all) => {
    const isValue = i > 0 && CONFIG_FLAG.test(all[i - 1]!) && !all[i - 1]!.includes("=")
    return !isValue && !CONFIG_FLAG.test(word)
  })
  return end === -1 || others.length > 0 ? undefined : words.slice(end + 1)
}

const withoutHome = (env: unknown): unknown => {
  if (!isObject(env) || !Object.hasOwn(env, HOME)) return env
  const { [HOME]: _, ...rest } = env
  return Object.keys(rest).length === 0 ? undefined : rest
}

const SERVERS: ReadonlySet<unknown> = new Set(["serve", "mcp-server", "acp", "start"])

/** The entry without `mcp-live exec --` or `exec --config FILE --`, or the reason why it is not taken. */
export const withoutOurs = (entry: Entry): { readonly entry: Entry; readonly reason?: string } => {
  const behind = behindProgram(entry)
  if (behind === undefined) return { entry }
  if (SERVERS.has(behind[0])) return { entry, reason: "it is mcp-live itself" }
  const [verb, ...words] = behind
  const [command, ...args] = (verb === "exec" && behindExec(words)) || []
  if (command === undefined) return { entry }
  const own = { command, args: args.length > 0 ? args : undefined, env: withoutHome(entry["env"]) }
  return { entry: defined<Entry>({ ...entry, ...own }) }
}
