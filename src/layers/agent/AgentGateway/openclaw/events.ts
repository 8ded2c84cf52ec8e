/** Decodes the events of a gateway for one run. Invalid ones are ignored. */
import { GATEWAY_MEDIA_MAX } from "../../../../schemas/defaults/Gateway.ts"
import type { Content } from "../../../../schemas/call/Tool.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import type { GatewayEvent } from "../../../../services/agent/GatewayLink.ts"

export type RunEvent =
  /** `whole` is this piece of text so far, if the gateway repeats it. */
  | {
      readonly _tag: "Text"
      readonly item: string
      readonly delta: string
      readonly whole: string | undefined
      /** Where the gateway has the files that this text refers to. */
      readonly media: ReadonlyArray<string>
    }
  | { readonly _tag: "Thought"; readonly delta: string; readonly whole: string | undefined }
  | { readonly _tag: "CallStarted"; readonly id: string; readonly name: string; readonly args: Record<string, unknown> }
  | {
      readonly _tag: "CallEnded"
      readonly id: string
      readonly name: string
      readonly content: ReadonlyArray<Content>
      readonly isError: boolean
    }
  | { readonly _tag: "Usage"; readonly outputTokens: number }
  | { readonly _tag: "Final"; readonly text: string; readonly stopReason: string | undefined }
  | { readonly _tag: "Aborted" }
  | { readonly _tag: "Failed"; readonly message: string }

const text = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined)

const contentOf = (given: unknown): ReadonlyArray<Content> =>
  (Array.isArray(given) ? given : []).flatMap((block: unknown): ReadonlyArray<Content> => {
    if (!isObject(block)) return []
    const { data, mimeType, text: said, type } = block
    if (type === "text" && typeof said === "string") return [{ type, text: said }]
    return type === "image" && typeof data === "string" && typeof mimeType === "string"
      ? [{ type, data, mimeType }]
      : []
  })

/** The text of a message in its usual form. */
export const textIn = (message: unknown): string => {
  if (!isObject(message)) return ""
  const { content } = message
  if (typeof content === "string") return content
  return contentOf(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("")
}

const readTool = (data: Record<string, unknown>): RunEvent | undefined => {
  const { args, isError, name, phase, result, toolCallId: id } = data
  if (typeof id !== "string" || id === "" || typeof name !== "string") return undefined
  if (phase === "start") return { _tag: "CallStarted", id, name, args: isObject(args) ? args : {} }
  if (phase !== "result") return undefined
  const given = isObject(result) ? result["content"] : result
  const content = typeof given === "string" ? ([{ type: "text", text: given }] as const) : contentOf(given)
  return { _tag: "CallEnded", id, name, content, isError: isError === true }
}

const mediaOf = (given: unknown): ReadonlyArray<string> =>
  (Array.isArray(given) ? given : []).slice(0, GATEWAY_MEDIA_MAX).filter((url) => typeof url === "string")

const readAgent = ({ data, stream }: Record<string, unknown>): RunEvent | undefined => {
  if (!isObject(data)) return undefined
  switch (stream) {
    case "assistant":
    case "thinking": {
      const [delta, whole] = [text(data["delta"]) ?? "", text(data["text"])]
      if (delta === "" && whole === undefined) return undefined
      return stream === "thinking"
        ? { _tag: "Thought", delta, whole }
        : { _tag: "Text", item: text(data["itemId"]) ?? "", delta, whole, media: mediaOf(data["mediaUrls"]) }
    }
    case "tool":
      return readTool(data)
    case "usage": {
      const { outputTokens } = data
      return typeof outputTokens === "number" && Number.isFinite(outputTokens)
        ? { _tag: "Usage", outputTokens }
        : undefined
    }
    default:
      return undefined
  }
}

/** The event for run `runId`; `undefined` for other runs and unknown events. */
export const readRunEvent = ({ event, payload }: GatewayEvent, runId: string): RunEvent | undefined => {
  if (!isObject(payload) || payload["runId"] !== runId) return undefined
  if (event === "agent") return readAgent(payload)
  if (event !== "chat") return undefined
  switch (payload["state"]) {
    case "final":
      return { _tag: "Final", text: textIn(payload["message"]), stopReason: text(payload["stopReason"]) }
    case "aborted":
      return { _tag: "Aborted" }
    case "error":
      return { _tag: "Failed", message: text(payload["errorMessage"]) ?? "" }
    default:
      return undefined
  }
}

// ---- earlier messages ------------------------------------------------------------------------------------------------

export type Entry =
  | { readonly _tag: "Said"; readonly text: string; readonly at: number }
  | { readonly _tag: "Answered"; readonly event: RunEvent; readonly at: number }

const time = (given: unknown): number => (typeof given === "number" && Number.isFinite(given) ? given : 0)

/** The messages of `chat.history`, oldest first. */
export const readHistory = (payload: unknown): ReadonlyArray<Entry> => {
  const messages = isObject(payload) && Array.isArray(payload["messages"]) ? payload["messages"] : []
  return messages.flatMap((message: unknown): ReadonlyArray<Entry> => {
    if (!isObject(message)) return []
    const { content, isError, role, timestamp, toolCallId, toolName } = message
    const at = time(timestamp)
    if (role === "user") return [{ _tag: "Said", text: textIn(message), at }]
    if (role === "toolResult" && typeof toolCallId === "string") {
      const name = text(toolName) ?? ""
      const event = { _tag: "CallEnded", id: toolCallId, name, content: contentOf(content), isError: isError === true }
      return [{ _tag: "Answered", event: event as RunEvent, at }]
    }
    if (role !== "assistant") return []
    if (typeof content === "string") return [{ _tag: "Answered", event: said(content), at }]
    return (Array.isArray(content) ? content : []).flatMap((block: unknown): ReadonlyArray<Entry> => {
      if (!isObject(block)) return []
      if (block["type"] === "text" && typeof block["text"] === "string") {
        return [{ _tag: "Answered", event: said(block["text"]), at }]
      }
      const { arguments: args, id, name, type } = block
      if (type !== "toolCall" || typeof id !== "string" || typeof name !== "string") return []
      const event: RunEvent = { _tag: "CallStarted", id, name, args: isObject(args) ? args : {} }
      return [{ _tag: "Answered", event, at }]
    })
  })
}

const said = (delta: string): RunEvent => ({ _tag: "Text", item: "", delta, whole: undefined, media: [] })

/** The input tokens of the last step of a run, from the newest message of the conversation. */
export const readInputTokens = (payload: unknown, runId: string): number | undefined => {
  const messages = isObject(payload) && Array.isArray(payload["messages"]) ? payload["messages"] : []
  const last: unknown = messages.at(-1)
  if (!isObject(last) || !isObject(last["usage"]) || !isObject(last["__openclaw"])) return undefined
  if (last["__openclaw"]["runId"] !== runId) return undefined
  const { cacheRead, cacheWrite, input } = last["usage"]
  const total = time(input) + time(cacheRead) + time(cacheWrite)
  return total > 0 ? total : undefined
}
