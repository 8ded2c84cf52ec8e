/** Answers, and why there is none, as results of `tools/call`. */
import type { Json, JsonObject } from "../../schemas/Json.ts"
import { wordsOf, type OrderAnswer, type OrderPart } from "../../schemas/OrderAnswer.ts"
import type { OrderFailed, OrderRefused } from "../../schemas/OrderError.ts"
import type { HistoryTurn, OrderHistory, OrderStatus } from "../../schemas/OrderStatus.ts"

/** Images that every client can show; of others it would have to fear that its model refuses them. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

const NO_WORDS = "The agent has answered without words."

const words = (text: string): JsonObject => ({ type: "text", text })

const fromPart = (part: OrderPart): JsonObject => {
  if (part.type === "text") return words(part.text)
  const { data, mediaType: mimeType, name } = part
  if (SHOWN_IMAGES.has(mimeType)) return { type: "image", data, mimeType }
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType }
  return { type: "resource", resource: { uri: `attachment://${encodeURIComponent(name)}`, mimeType, blob: data } }
}

const contentOf = (parts: ReadonlyArray<OrderPart>): Array<JsonObject> =>
  parts.length === 0 ? [words(NO_WORDS)] : parts.map(fromPart)

/** Its first words say that it failed. */
const asError = (parts: ReadonlyArray<OrderPart>): ReadonlyArray<OrderPart> => {
  const [first, ...others] = parts
  return first?.type === "text"
    ? [{ type: "text", text: `Error: ${first.text}` }, ...others]
    : [{ type: "text", text: "Error: the command failed" }, ...parts]
}

export const fromAnswer = ({ end, parts: given, sessionKey }: OrderAnswer): JsonObject => {
  const isError = end === "failed"
  const parts = isError ? asError(given) : given
  return {
    content: contentOf(parts),
    structuredContent: {
      sessionKey,
      text: wordsOf(parts) || NO_WORDS,
      media: parts.flatMap((part) =>
        part.type === "text" ? [] : [{ name: part.name, mimeType: part.mediaType, bytes: part.bytes }]
      ),
      ended: end
    },
    isError
  }
}

export const errorResult = (detail: string): JsonObject => ({ content: [words(`Error: ${detail}`)], isError: true })

/** What was said before it failed is not lost. */
export const fromFailure = (error: OrderRefused | OrderFailed): JsonObject => {
  const failed = errorResult(error.message)
  if (error._tag === "OrderRefused") return failed
  return {
    ...failed,
    content: [words(`Error: ${error.message}`), ...error.said.map(fromPart)],
    structuredContent: { sessionKey: error.sessionKey, text: `Error: ${error.message}` }
  }
}

// ---- of sessions ---------------------------------------------------------------------------------------------------

const SECOND_MS = 1_000

const turnText = ({ answer, attachments, message }: HistoryTurn): string => {
  const names = attachments.map(({ name }) => name).join(", ")
  return `User: ${message}${names === "" ? "" : ` [with ${names}]`}\n\nAgent: ${answer}`
}

export const fromHistory = (history: OrderHistory): JsonObject => {
  const { earlier, turns } = history
  const before = earlier === 0 ? [] : [`[${earlier} earlier turns]`]
  const text =
    turns.length === 0 ? "Nothing was said in this session." : [...before, ...turns.map(turnText)].join("\n\n")
  return { content: [words(text)], structuredContent: { ...history } as unknown as Json, isError: false }
}

const sentenceOf = ({ doing, runningForMs = 0, state, turns, waiting }: OrderStatus): string => {
  const also = waiting === 0 ? "" : `; ${waiting} more wait`
  switch (state) {
    case "running":
      return `An order is worked on since ${Math.round(runningForMs / SECOND_MS)} s (${doing})${also}.`
    case "waiting":
      return `${waiting === 1 ? "An order waits for its turn" : `${waiting} orders wait for their turn`}.`
    case "idle":
      return `Nothing is worked on. There were ${turns} turns.`
    case "unknown":
      return "There is no such session."
  }
}

export const fromStatus = (status: OrderStatus): JsonObject => ({
  content: [words(sentenceOf(status))],
  structuredContent: { ...status } as unknown as Json,
  isError: false
})
