/** Describes what an agent is doing, in our own words, for a client that waits for its answer. */
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import { ORDER_PROGRESS_EVERY_CHARS } from "../../../schemas/defaults/Orders.ts"
import { LABEL_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"

type Label = (text: string, maxChars: number) => string

/** `words` are for a person, as progress. `plain` contains no text of a server, because a model may read it in a result. */
export interface Doing {
  readonly words: string
  readonly plain: string
}

/** Follows the events of an answer; returns what to report when that is new. */
export const makeDoing = (label: Label) => {
  const titles = new Map<string, string>()
  let [mode, chars, toldChars] = ["", 0, 0]
  const short = (text: string) => label(text, LABEL_MAX_CHARS)
  const both = (words: string): Doing => ({ words, plain: words })

  return (event: AgentEvent): Doing | undefined => {
    switch (event._tag) {
      case "Text": {
        const isNew = mode !== "text"
        if (isNew) [mode, chars, toldChars] = ["text", 0, 0]
        chars += event.delta.length
        if (isNew) return both("Writing")
        if (chars - toldChars < ORDER_PROGRESS_EVERY_CHARS) return undefined
        toldChars = chars
        return both(`Writing (${chars} characters so far)`)
      }
      case "Thought": {
        const isNew = mode !== "thought"
        mode = "thought"
        return isNew ? both("Thinking") : undefined
      }
      case "ToolCall": {
        mode = "call"
        const title = short(event.title ?? event.name)
        titles.set(event.id, title)
        return { words: `Calling ${title}`, plain: `Calling ${short(event.name)}` }
      }
      case "ToolProgress": {
        const { message, progress, total } = event.progress
        const amount = total === undefined ? `${progress}` : `${progress} of ${total}`
        const words = message === undefined || message === "" ? amount : short(message)
        const name = short(event.name)
        return { words: `${titles.get(event.id) ?? name}: ${words}`, plain: `Calling ${name}: ${amount}` }
      }
      case "ToolResult": {
        const name = short(event.name)
        const title = titles.get(event.id) ?? name
        titles.delete(event.id)
        const how = event.result.isError ? "failed" : "has answered"
        return { words: `${title} ${how}`, plain: `${name} ${how}` }
      }
      case "Notice":
        return { words: short(event.text.split("\n", 1)[0] ?? ""), plain: "Working" }
      default:
        return undefined
    }
  }
}
