/** Turns as they come out of a file: what is not what it should be is left out, so that a damaged line costs only itself. */
import type { AgentEvent } from "../../schemas/AgentEvent.ts"
import { CONVERSATION_SHORT_TEXT_CHARS } from "../../schemas/Defaults.ts"
import { isObject, withinBounds } from "../../schemas/Json.ts"
import type { UserPart } from "../../schemas/UserMessage.ts"
import type { KeptTurn } from "./conversations.ts"

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"])

const isText = (given: unknown): given is string => typeof given === "string"

const readPart = (given: unknown): ReadonlyArray<UserPart> => {
  if (!isObject(given)) return []
  const { data, mediaType, name, text, type } = given
  if (type === "text" && isText(text)) return [{ type, text }]
  if (type !== "file" || !isText(data) || !isText(mediaType)) return []
  return [{ type, data, mediaType, ...(isText(name) ? { name } : {}) }]
}

const isContent = (block: unknown) =>
  isObject(block) &&
  ((block["type"] === "text" && isText(block["text"])) ||
    (block["type"] === "image" && isText(block["data"]) && isText(block["mimeType"])))

const isResult = (given: unknown) =>
  isObject(given) &&
  Array.isArray(given["content"]) &&
  given["content"].every(isContent) &&
  typeof given["isError"] === "boolean" &&
  isObject(given["details"])

const isEvent = (given: unknown): given is AgentEvent => {
  if (!isObject(given)) return false
  switch (given["_tag"]) {
    case "Text":
    case "Thought":
      return isText(given["delta"])
    case "Notice":
      return isText(given["text"])
    case "ToolCall":
      return isText(given["id"]) && isText(given["name"]) && isObject(given["args"])
    case "ToolResult":
      return isText(given["id"]) && isText(given["name"]) && isResult(given["result"])
    case "Done":
      return isText(given["reason"])
    default:
      return false
  }
}

/** What is kept of a turn that is too large: its words. A model is not told of it again, for it would miss a part. */
export const withoutMedia = ({ events, message }: KeptTurn): KeptTurn => {
  const short = (text: string) =>
    text.length <= CONVERSATION_SHORT_TEXT_CHARS
      ? text
      : `${text.slice(0, CONVERSATION_SHORT_TEXT_CHARS).toWellFormed()} [… ${text.length} characters, too long to be kept]`
  const left = (what: string) => ({ type: "text", text: `[${what}: too large to be kept]` }) as const
  return {
    message: message.map((part) =>
      part.type === "text" ? { ...part, text: short(part.text) } : left(part.name ?? part.mediaType)
    ),
    events: events.map((event): AgentEvent => {
      switch (event._tag) {
        case "Text":
        case "Thought":
          return { ...event, delta: short(event.delta) }
        case "ToolCall":
          return { ...event, args: {} }
        case "ToolResult": {
          const { content, details, isError } = event.result
          const { originals: _, ...rest } = { originals: undefined, ...details }
          const shown = content.map((block) =>
            block.type === "text" ? { ...block, text: short(block.text) } : left(block.mimeType)
          )
          return { ...event, result: { content: shown, isError, details: rest } }
        }
        default:
          return event
      }
    }),
    messages: []
  }
}

const isMessage = (given: unknown) =>
  isObject(given) && ROLES.has(given["role"]) && (isText(given["content"]) || Array.isArray(given["content"]))

const listOf = (given: unknown): ReadonlyArray<unknown> => (Array.isArray(given) ? given : [])

export const readTurn = (given: unknown): KeptTurn | undefined => {
  if (!isObject(given) || !withinBounds(given)) return undefined
  const messages = listOf(given["messages"])
  return {
    message: listOf(given["message"]).flatMap(readPart),
    events: listOf(given["events"]).filter(isEvent),
    // One that is damaged makes the others refer to what is not there.
    messages: messages.every(isMessage) ? messages : []
  }
}
