/** Turns a typed line into the command that it stands for. */

const LISTS = new Set(["tools", "resources", "prompts"])
const ALONE: Readonly<Record<string, string>> = {
  "?": "/help",
  help: "/help",
  exit: "/exit",
  quit: "/quit",
  status: "/status",
  context: "/context"
}

/**
 * `help`, `?`, `exit`, `quit`, `status` and `context` alone, and the names of listings with at most one word after them, are
 * commands even without a slash. Longer sentences that begin with these words go to the agent.
 */
export const asCommand = (text: string): string => {
  const line = text.trim()
  const words = line.toLowerCase().split(/\s+/)
  const [first = ""] = words
  if (words.length === 1 && Object.hasOwn(ALONE, first)) return ALONE[first]!
  return words.length <= 2 && LISTS.has(first) ? `/${line}` : line
}
