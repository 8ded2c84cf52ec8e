/** What a person types at our prompt, as the command that it means. */

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
 * `help`, `?`, `exit`, `quit`, `status` and `context` alone, and the names of listings with one word at most, are commands
 * without their slash. A sentence that begins with one of them is for the agent.
 */
export const asCommand = (text: string): string => {
  const line = text.trim()
  const words = line.toLowerCase().split(/\s+/)
  const [first = ""] = words
  if (words.length === 1 && Object.hasOwn(ALONE, first)) return ALONE[first]!
  return words.length <= 2 && LISTS.has(first) ? `/${line}` : line
}
