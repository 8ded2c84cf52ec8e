/** Decodes what a gateway tells about one run. What is not valid is absent. */
import * as Schema from "effect/Schema"
import { GATEWAY_MEDIA_MAX } from "../../../../schemas/defaults/Gateway.ts"
import type { Content } from "../../../../schemas/call/Tool.ts"
import { eachValid, ifValid, Members, reader } from "../../../../schemas/data/Lenient.ts"
import type { GatewayEvent } from "../../../../services/agent/GatewayLink.ts"

export type RunEvent =
  /** `whole` is the whole piece of text so far, if the gateway repeats it. */
  | {
      readonly _tag: "Text"
      readonly item: string
      readonly delta: string
      readonly whole: string | undefined
      /** The addresses of the files that this text refers to. */
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

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
const Image = Schema.Struct({ type: Schema.Literal("image"), data: Schema.String, mimeType: Schema.String })
const readBlock = reader(Schema.Union([Text, Image]))
const contentOf = (given: unknown): ReadonlyArray<Content> => eachValid(given, readBlock)

const Said = Schema.Struct({ content: ifValid(Schema.Union([Schema.String, Schema.Array(Schema.Unknown)])) })
const readSaid = reader(Said)

const joined = ({ content }: typeof Said.Type): string =>
  typeof content === "string"
    ? content
    : contentOf(content)
        .flatMap((block) => (block.type === "text" ? [block.text] : []))
        .join("")

/** The text of a message in its usual form. */
export const textIn = (message: unknown): string => joined(readSaid(message) ?? {})

// ---- events of one run ---------------------------------------------------------------------------------------------

const call = { toolCallId: Schema.NonEmptyString, name: Schema.String }
const words = { delta: ifValid(Schema.String), text: ifValid(Schema.String) }

const readAgent = reader(
  Schema.Union([
    Schema.Struct({
      stream: Schema.Literal("assistant"),
      data: Schema.Struct({
        ...words,
        itemId: ifValid(Schema.String),
        mediaUrls: ifValid(Schema.Array(Schema.Unknown))
      })
    }),
    Schema.Struct({ stream: Schema.Literal("thinking"), data: Schema.Struct(words) }),
    Schema.Struct({
      stream: Schema.Literal("tool"),
      data: Schema.Union([
        Schema.Struct({ ...call, phase: Schema.Literal("start"), args: ifValid(Members) }),
        Schema.Struct({
          ...call,
          phase: Schema.Literal("result"),
          isError: ifValid(Schema.Boolean),
          result: ifValid(Schema.Union([Schema.String, Schema.Array(Schema.Unknown), Said]))
        })
      ])
    }),
    Schema.Struct({ stream: Schema.Literal("usage"), data: Schema.Struct({ outputTokens: Schema.Finite }) })
  ])
)

const readChat = reader(
  Schema.Union([
    Schema.Struct({
      state: Schema.Literal("final"),
      message: ifValid(Said),
      stopReason: ifValid(Schema.String)
    }),
    Schema.Struct({ state: Schema.Literal("aborted") }),
    Schema.Struct({ state: Schema.Literal("error"), errorMessage: ifValid(Schema.String) })
  ])
)

const readRun = reader(Schema.Struct({ runId: Schema.String }))

const resultOf = (result: string | ReadonlyArray<unknown> | typeof Said.Type = []): ReadonlyArray<Content> => {
  const given = typeof result === "object" && "content" in result ? result.content : result
  return typeof given === "string" ? [{ type: "text", text: given }] : contentOf(given)
}

const agentEvent = (payload: unknown): RunEvent | undefined => {
  const event = readAgent(payload)
  switch (event?.stream) {
    case "assistant":
    case "thinking": {
      const { delta = "", text: whole } = event.data
      if (delta === "" && whole === undefined) return undefined
      if (event.stream === "thinking") return { _tag: "Thought", delta, whole }
      const { itemId: item = "", mediaUrls } = event.data
      const media = eachValid(mediaUrls, (url) => (typeof url === "string" ? url : undefined), GATEWAY_MEDIA_MAX)
      return { _tag: "Text", item, delta, whole, media }
    }
    case "tool": {
      const { data } = event
      const { name, toolCallId: id } = data
      return data.phase === "start"
        ? { _tag: "CallStarted", id, name, args: data.args ?? {} }
        : { _tag: "CallEnded", id, name, content: resultOf(data.result), isError: data.isError ?? false }
    }
    case "usage":
      return { _tag: "Usage", outputTokens: event.data.outputTokens }
    default:
      return undefined
  }
}

const chatEvent = (payload: unknown): RunEvent | undefined => {
  const event = readChat(payload)
  switch (event?.state) {
    case "final":
      return { _tag: "Final", text: joined(event.message ?? {}), stopReason: event.stopReason }
    case "aborted":
      return { _tag: "Aborted" }
    case "error":
      return { _tag: "Failed", message: event.errorMessage ?? "" }
    default:
      return undefined
  }
}

/** The event of the run `runId`; nothing for events of other runs and of chats without one. */
export const readRunEvent = ({ event, payload }: GatewayEvent, runId: string): RunEvent | undefined => {
  if (readRun(payload)?.runId !== runId) return undefined
  if (event === "agent") return agentEvent(payload)
  return event === "chat" ? chatEvent(payload) : undefined
}

// ---- the history ---------------------------------------------------------------------------------------------------

export type Entry =
  | { readonly _tag: "Said"; readonly text: string; readonly at: number }
  | { readonly _tag: "Answered"; readonly event: RunEvent; readonly at: number }

const timestamp = ifValid(Schema.Finite)

const readMessage = reader(
  Schema.Union([
    Schema.Struct({ role: Schema.Literals(["user", "assistant"]), timestamp, ...Said.fields }),
    Schema.Struct({
      role: Schema.Literal("toolResult"),
      timestamp,
      toolCallId: Schema.String,
      toolName: ifValid(Schema.String),
      isError: ifValid(Schema.Boolean),
      content: Schema.optionalKey(Schema.Unknown)
    })
  ])
)

const readStep = reader(
  Schema.Union([
    Text,
    Schema.Struct({
      type: Schema.Literal("toolCall"),
      id: Schema.String,
      name: Schema.String,
      arguments: ifValid(Members)
    })
  ])
)

const readMessages = reader(Schema.Struct({ messages: Schema.Array(Schema.Unknown) }))

const said = (delta: string): RunEvent => ({ _tag: "Text", item: "", delta, whole: undefined, media: [] })

const stepsOf = (content: unknown): ReadonlyArray<RunEvent> =>
  eachValid(content, readStep).map((step) =>
    step.type === "text"
      ? said(step.text)
      : { _tag: "CallStarted", id: step.id, name: step.name, args: step.arguments ?? {} }
  )

/** The messages of `chat.history`, the oldest first. */
export const readHistory = (payload: unknown): ReadonlyArray<Entry> =>
  eachValid(readMessages(payload)?.messages, readMessage).flatMap((message): ReadonlyArray<Entry> => {
    const at = message.timestamp ?? 0
    const answered = (event: RunEvent): Entry => ({ _tag: "Answered", event, at })
    if (message.role === "toolResult") {
      const { content, isError = false, toolCallId: id, toolName: name = "" } = message
      return [answered({ _tag: "CallEnded", id, name, content: contentOf(content), isError })]
    }
    if (message.role === "user") return [{ _tag: "Said", text: joined(message), at }]
    const { content } = message
    return typeof content === "string" ? [answered(said(content))] : stepsOf(content).map(answered)
  })

const readUsage = reader(
  Schema.Struct({
    __openclaw: Schema.Struct({ runId: Schema.String }),
    usage: Schema.Struct({
      input: ifValid(Schema.Finite),
      cacheRead: ifValid(Schema.Finite),
      cacheWrite: ifValid(Schema.Finite)
    })
  })
)

/** How many tokens the last step of a run has read, by the newest message of a conversation. */
export const readInputTokens = (payload: unknown, runId: string): number | undefined => {
  const last = readUsage(readMessages(payload)?.messages.at(-1))
  if (last?.__openclaw.runId !== runId) return undefined
  const { cacheRead = 0, cacheWrite = 0, input = 0 } = last.usage
  const total = input + cacheRead + cacheWrite
  return total > 0 ? total : undefined
}
