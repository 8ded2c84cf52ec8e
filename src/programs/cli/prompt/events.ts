/** Shows the events of an agent on a terminal: text as it streams, tool calls as dim lines. */
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import { ruled, unbounded } from "../../../schemas/content/Boundaries.ts"
import { clip, renderContent } from "../../../schemas/content/Rendering.ts"
import type { Content } from "../../../schemas/call/Tool.ts"
import { visible } from "../output.ts"

const ARGUMENTS_MAX_CHARS = 200
const FAILURE_MAX_CHARS = 200

export interface EventPrinterOptions {
  readonly write: (text: string) => void
  readonly colour: boolean
  /** For a person: requested content stands between two lines instead of the boundaries for a model. */
  readonly person?: boolean | undefined
  /** Milliseconds. */
  readonly now: () => number
}

const reasonOf = (content: ReadonlyArray<Content>): string =>
  clip(
    renderContent(content.map((block) => (block.type === "text" ? { ...block, text: unbounded(block.text) } : block))),
    FAILURE_MAX_CHARS
  )

export const makeEventPrinter = ({ colour, now, person = false, write }: EventPrinterOptions) => {
  const startedAt = new Map<string, number>()
  let atLineStart = true
  let dimmed = false

  const dim = (text: string) => (colour ? `\u001b[2m${text}\u001b[22m` : text)
  const put = (text: string) => {
    if (text === "") return
    write(text)
    atLineStart = text.endsWith("\n")
  }
  /** Thoughts are dim while they stream. */
  const setDim = (wanted: boolean) => {
    if (colour && wanted !== dimmed) write(wanted ? "\u001b[2m" : "\u001b[22m")
    dimmed = wanted
  }
  const freshLine = () => {
    setDim(false)
    if (!atLineStart) put("\n")
  }
  const line = (text: string) => {
    freshLine()
    put(`${text}\n`)
  }

  /** `bodyFollows`: the person asked for this call or resource directly, and its full result is printed next. */
  return (event: AgentEvent, bodyFollows = false): void => {
    switch (event._tag) {
      case "Text":
        if (dimmed) freshLine()
        return put(visible(bodyFollows && person ? ruled(event.delta) : event.delta))
      case "Thought":
        setDim(true)
        return put(visible(event.delta))
      case "ToolCall": {
        startedAt.set(event.id, now())
        const args = visible(clip(JSON.stringify(event.args), ARGUMENTS_MAX_CHARS))
        return line(dim(`→ ${visible(event.name)} ${args}`))
      }
      case "ToolResult": {
        const took = `${Math.round(now() - (startedAt.get(event.id) ?? now()))} ms`
        startedAt.delete(event.id)
        const { content, isError } = event.result
        const why = isError && !bodyFollows ? `: ${reasonOf(content)}` : ""
        return line(dim(visible(`← ${event.name} ${isError ? "failed" : "ok"} ${took}${why}`)))
      }
      case "Media":
        return line(dim(visible(`[${event.name ?? "a file"}, ${event.mediaType}]`)))
      case "ToolProgress":
      case "Usage":
        return
      case "Notice":
        return line(visible(event.text))
      case "Done": {
        freshLine()
        if (event.reason === "steps") line(dim("(stopped at the maximum number of steps; say 'go on' to continue)"))
        if (event.reason === "length") line(dim("(cut off: the model reached its length limit)"))
      }
    }
  }
}
