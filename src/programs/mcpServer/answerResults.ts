/** Converts answers and errors into results of `tools/call`. */
import type { Json, JsonObject } from "../../schemas/data/Json.ts"
import type { LinkedPart, Piece } from "../../schemas/agent/AnswerPieces.ts"
import { closedAgain, outsideOfWrapped } from "../../schemas/content/Boundaries.ts"
import { ORDER_BEGINNING_MAX_CHARS, ORDER_RESULT_MAX_BYTES } from "../../schemas/defaults/Orders.ts"
import { wordsOf, type OrderAnswer, type OrderPart } from "../../schemas/agent/OrderAnswer.ts"
import type { OrderFailed, OrderRefused } from "../../schemas/agent/OrderError.ts"
import type { HistoryTurn, OrderHistory, OrderStatus } from "../../schemas/agent/OrderStatus.ts"
import { onCharacter } from "../../schemas/content/TextWindow.ts"

/** Image types that every client can show. The models of some clients refuse others. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

const NO_WORDS = "The agent gave an empty answer."

const words = (text: string): JsonObject => ({ type: "text", text })

const fromPart = (part: OrderPart): JsonObject => {
  if (part.type === "text") return words(part.text)
  const { data, mediaType: mimeType, name } = part
  if (SHOWN_IMAGES.has(mimeType)) return { type: "image", data, mimeType }
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType }
  return { type: "resource", resource: { uri: `attachment://${encodeURIComponent(name)}`, mimeType, blob: data } }
}

/** Parts that are replaced by links. */
export type Linked = ReadonlyMap<OrderPart, LinkedPart>

const NONE: Linked = new Map()

const count = (number: number) => number.toLocaleString("en-US")

const linkTo = ({ name, pieces }: LinkedPart, { bytes, mimeType, uri }: Piece, index: number): JsonObject => ({
  type: "resource_link",
  uri,
  name: pieces.length === 1 ? name : `${name} (${index + 1} of ${pieces.length})`,
  mimeType,
  size: bytes
})

/** The text names the URIs for models that read only text. */
const sentenceOfLinked = ({ bytes, mimeType, name, pieces }: LinkedPart): string => {
  const what = `${JSON.stringify(name)} (${mimeType}, ${count(bytes)} bytes)`
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (first === undefined || last === undefined) return `[${what} was left out: there was no room to keep it]`
  const where = first === last ? first.uri : `${first.uri} to ${last.uri}; joined in this order, they are the whole`
  return `[${what} is too long for this result. It is read for an hour with resources/read: ${where}]`
}

const beginningOf = (text: string): string =>
  closedAgain(text.slice(0, outsideOfWrapped(text, 0, onCharacter(text, ORDER_BEGINNING_MAX_CHARS))))

/** What goes into a result: its parts, and a sentence for each part behind links, with the beginning of the first text. */
interface Placed {
  readonly parts: ReadonlyArray<OrderPart>
  readonly content: ReadonlyArray<JsonObject>
}

const placed = (given: ReadonlyArray<OrderPart>, linked: Linked): Placed => {
  const parts: Array<OrderPart> = []
  const content: Array<JsonObject> = []
  const say = (part: OrderPart) => {
    parts.push(part)
    content.push(fromPart(part))
  }
  let hasBegun = false
  for (const part of given) {
    const link = linked.get(part)
    if (link === undefined) {
      say(part)
      continue
    }
    const beginning = part.type === "text" && !hasBegun ? `${beginningOf(part.text)}…\n\n` : ""
    hasBegun ||= part.type === "text"
    say({ type: "text", text: `${beginning}${sentenceOfLinked(link)}` })
    content.push(...link.pieces.map((piece, index) => linkTo(link, piece, index)))
  }
  return { parts, content: content.length === 0 ? [words(NO_WORDS)] : content }
}

const listed = (linked: Linked): JsonObject =>
  linked.size === 0
    ? {}
    : {
        linked: [...linked.values()].map(({ bytes, mimeType, name, pieces }) => ({
          name,
          mimeType,
          bytes,
          uris: pieces.map(({ uri }) => uri)
        }))
      }

/** Its first words say that it failed. */
const asError = (parts: ReadonlyArray<OrderPart>): ReadonlyArray<OrderPart> => {
  const [first, ...others] = parts
  return first?.type === "text"
    ? [{ type: "text", text: `Error: ${first.text}` }, ...others]
    : [{ type: "text", text: "Error: the command failed" }, ...parts]
}

/** The parts of an answer as they go into its result. */
export const partsOf = ({ end, parts }: OrderAnswer): ReadonlyArray<OrderPart> =>
  end === "failed" ? asError(parts) : parts

export const fromAnswer = (
  answer: OrderAnswer,
  given: ReadonlyArray<OrderPart> = partsOf(answer),
  linked: Linked = NONE
): JsonObject => {
  const { end, sessionKey } = answer
  const { content, parts } = placed(given, linked)
  return {
    content,
    structuredContent: {
      sessionKey,
      text: wordsOf(parts) || NO_WORDS,
      media: given.flatMap((part) =>
        part.type === "text" ? [] : [{ name: part.name, mimeType: part.mediaType, bytes: part.bytes }]
      ),
      ...listed(linked),
      ended: end
    },
    isError: end === "failed"
  }
}

export const errorResult = (detail: string): JsonObject => ({ content: [words(`Error: ${detail}`)], isError: true })

/** What the agent said before the failure is kept. */
export const fromFailure = (error: OrderRefused | OrderFailed, linked: Linked = NONE): JsonObject => {
  const failed = errorResult(error.message)
  if (error._tag === "OrderRefused") return failed
  const said = error.said.length === 0 ? [] : placed(error.said, linked).content
  return {
    ...failed,
    content: [words(`Error: ${error.message}`), ...said],
    structuredContent: { sessionKey: error.sessionKey, text: `Error: ${error.message}`, ...listed(linked) }
  }
}

// ---- of sessions ---------------------------------------------------------------------------------------------------

const SECOND_MS = 1_000

const turnText = ({ answer, attachments, message }: HistoryTurn): string => {
  const names = attachments.map(({ name }) => name).join(", ")
  return `User: ${message}${names === "" ? "" : ` [with ${names}]`}\n\nAgent: ${answer}`
}

/** The latest turns that fit into a result, which holds each of them twice. */
const fitting = (history: OrderHistory): OrderHistory => {
  const { turns } = history
  let room = ORDER_RESULT_MAX_BYTES
  let from = turns.length
  while (from > 0) {
    room -= Buffer.byteLength(JSON.stringify(turns[from - 1])) * 2
    if (room < 0) break
    from--
  }
  return { ...history, turns: turns.slice(from), earlier: history.earlier + from }
}

export const fromHistory = (given: OrderHistory): JsonObject => {
  const history = fitting(given)
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
      return `A request has been worked on for ${Math.round(runningForMs / SECOND_MS)} s (${doing})${also}.`
    case "waiting":
      return `${waiting === 1 ? "One request waits for its turn" : `${waiting} requests wait for their turn`}.`
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
