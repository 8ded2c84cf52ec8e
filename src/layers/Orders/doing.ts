/** What an agent is doing, in words of ours: for whoever waits for its answer. */
import type { AgentEvent } from "../../schemas/AgentEvent.ts"
import { LABEL_MAX_CHARS, ORDER_PROGRESS_EVERY_CHARS } from "../../schemas/Defaults.ts"

type Label = (text: string, maxChars: number) => string

/** Gives the words when there is something new to be said. */
export const makeDoing = (label: Label) => {
  const titles = new Map<string, string>()
  let [mode, chars, toldChars] = ["", 0, 0]
  const short = (text: string) => label(text, LABEL_MAX_CHARS)

  return (event: AgentEvent): string | undefined => {
    switch (event._tag) {
      case "Text": {
        const isNew = mode !== "text"
        if (isNew) [mode, chars, toldChars] = ["text", 0, 0]
        chars += event.delta.length
        if (isNew) return "Writing"
        if (chars - toldChars < ORDER_PROGRESS_EVERY_CHARS) return undefined
        toldChars = chars
        return `Writing (${chars} characters so far)`
      }
      case "Thought": {
        const isNew = mode !== "thought"
        mode = "thought"
        return isNew ? "Thinking" : undefined
      }
      case "ToolCall": {
        mode = "call"
        const title = short(event.title ?? event.name)
        titles.set(event.id, title)
        return `Calling ${title}`
      }
      case "ToolProgress": {
        const { message, progress, total } = event.progress
        const amount = total === undefined ? `${progress}` : `${progress} of ${total}`
        const words = message === undefined || message === "" ? amount : short(message)
        return `${titles.get(event.id) ?? short(event.name)}: ${words}`
      }
      case "ToolResult": {
        const title = titles.get(event.id) ?? short(event.name)
        titles.delete(event.id)
        return event.result.isError ? `${title} failed` : `${title} has answered`
      }
      case "Notice":
        return short(event.text.split("\n", 1)[0] ?? "")
      default:
        return undefined
    }
  }
}
