/**
 * Entries of other programs that start mcp-live: its `exec`, which stands for the command behind it, and its servers, which must not
 * become servers of itself.
 */
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

const SERVERS: ReadonlySet<unknown> = new Set(["serve", "mcp-server", "acp", "start"])

/** The entry without `mcp-live exec --`, or the reason why it is not taken. */
export const withoutOurs = (entry: Entry): { readonly entry: Entry; readonly reason?: string } => {
  const behind = behindProgram(entry)
  if (behind === undefined) return { entry }
  if (SERVERS.has(behind[0])) return { entry, reason: "it is mcp-live itself" }
  const [verb, dashes, command, ...args] = behind
  if (verb !== "exec" || dashes !== "--" || command === undefined) return { entry }
  const { args: _, ...rest } = entry
  return { entry: { ...rest, command, ...(args.length > 0 && { args }) } }
}
