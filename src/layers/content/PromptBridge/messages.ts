/**
 * The messages of a prompt from a server. All of them become messages of the user, whatever role the server gave them: a
 * message with another role is quoted, so that it cannot pass for something that was said.
 */
import { remembering, type LabelRoom, type Remembering } from "../../../schemas/content/Cleaner.ts"
import { readBlock } from "../../../schemas/content/ContentBlock.ts"
import { DEFAULT_CONTENT_POLICY, withheldFor, type ContentPolicy } from "../../../schemas/content/ContentPolicy.ts"
import { DESCRIPTION_MAX_CHARS } from "../../../schemas/defaults/Definitions.ts"
import { IMAGES_MAX_CHARS, RESULT_LABELS_MAX_CHARS } from "../../../schemas/defaults/Results.ts"
import { removedBefore, type Finding } from "../../../schemas/content/Finding.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import type { PromptResult } from "../../../schemas/content/Prompt.ts"
import type { Budget } from "../../../schemas/connection/ServerConfig.ts"
import { cleanWithin, inProse, mergeFindings, shareOut, wordOf } from "../../../schemas/content/ServerText.ts"
import type { Fitted } from "../../../schemas/content/TextBudget.ts"
import type { ImageContent } from "../../../schemas/call/Tool.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"

type Sanitizer = ContentSanitizer["Service"]

/** A message as received. */
interface Received {
  readonly role: unknown
  readonly text: string
  readonly images: ReadonlyArray<ImageContent>
  /** Cleans the words in our sentences. */
  readonly words: Remembering
}

interface Room {
  blocks: number
  images: number
  readonly labels: LabelRoom
}

const listOf = (given: unknown): ReadonlyArray<unknown> | undefined =>
  Array.isArray(given) ? given : isObject(given) ? [given] : undefined

/** The blocks of a message: one in the protocol; some servers send a list or a plain text. */
const blocksOf = (content: unknown): ReadonlyArray<unknown> =>
  typeof content === "string" ? [{ type: "text", text: content }] : (listOf(content) ?? [])

/** `undefined` when nothing of the message is usable. */
const receive = (raw: unknown, room: Room, notes: Set<string>, sanitizer: Sanitizer): Received | undefined => {
  if (!isObject(raw)) return undefined
  const words = remembering(sanitizer, room.labels)
  const texts: Array<string> = []
  const images: Array<ImageContent> = []
  const blocks = blocksOf(raw["content"])
  const taken = blocks.slice(0, room.blocks)
  room.blocks -= taken.length
  if (taken.length < blocks.length) notes.add("content blocks were left out: there are too many")
  for (const block of taken) {
    const shown = readBlock(block, words, room.images)
    if (shown === undefined) notes.add("malformed content blocks were left out")
    if (shown?.text !== undefined) texts.push(shown.text)
    if (shown?.note !== undefined) notes.add(shown.note)
    if (shown?.image !== undefined) {
      images.push(shown.image)
      room.images -= shown.image.data.length
    }
  }
  return texts.length === 0 && images.length === 0
    ? undefined
    : { role: raw["role"], text: texts.join("\n"), images, words }
}

const LINE_END = /[\n\u2028\u2029]/g
const quote = (text: string) => `> ${text.replace(LINE_END, "$&> ")}`

/** Counts without splitting, because the text may consist of line ends. */
const lineCount = (text: string): number => {
  let lines = 1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x0a || code === 0x2028 || code === 0x2029) lines++
  }
  return lines
}

/** Quoted, and still within its share: each line takes two bytes more. */
const quoteWithin = (text: string, maxBytes: number, { clean }: Sanitizer): Fitted => {
  const plain = cleanWithin(text, maxBytes, clean)
  const quoted = quote(plain.text)
  if (Buffer.byteLength(quoted) <= maxBytes) return { ...plain, text: quoted }
  const room = Math.max(maxBytes - 2 * lineCount(plain.text), Math.floor(maxBytes / 3))
  const shorter = cleanWithin(text, room, clean)
  return { ...shorter, text: quote(shorter.text) }
}

type Messages = PromptResult["messages"]

interface Origin {
  readonly server: string
  readonly prompt: string
  readonly content?: ContentPolicy
}

/** A description that may not be shown is left out. */
const describe = (given: unknown, { content = DEFAULT_CONTENT_POLICY }: Origin, sanitizer: Sanitizer) => {
  if (typeof given !== "string" || given.trim() === "") return { text: undefined, findings: [], isWithheld: false }
  const cleaner = remembering(sanitizer)
  const text = inProse(given, cleaner.describe, DESCRIPTION_MAX_CHARS)
  const findings = cleaner.findings()
  const isWithheld = withheldFor(content, findings).length > 0
  return { text: isWithheld ? undefined : text, findings, isWithheld }
}

export const toResult = (
  raw: unknown,
  origin: Origin,
  budget: Budget,
  sanitizer: Sanitizer
): PromptResult | undefined => {
  const given = isObject(raw) ? listOf(raw["messages"]) : undefined
  if (!isObject(raw) || given === undefined) return undefined
  const notes = new Set<string>()
  const room: Room = { blocks: budget.blocks, images: IMAGES_MAX_CHARS, labels: { chars: RESULT_LABELS_MAX_CHARS } }
  const looked = given.slice(0, budget.blocks)
  const received = looked.flatMap((message) => receive(message, room, notes, sanitizer) ?? [])
  if (received.length < looked.length) notes.add(`unusable messages left out: ${looked.length - received.length}`)
  const over = given.length - looked.length
  if (over > 0) notes.add(`messages left out: ${over} of ${given.length}`)

  const shares = shareOut(
    received.map(({ text }) => Buffer.byteLength(text) + 2 * lineCount(text)),
    budget.bytes
  )
  const { content, server } = origin
  const source = { server, ...(content === undefined ? undefined : { content }) }
  const description = describe(raw["description"], origin, sanitizer)
  const findings: Array<Finding> = [...description.findings]
  let isWithheld = description.isWithheld
  const messages = received.map(({ images, role, text, words }, i): Messages[number] => {
    if (text === "") return { role: "user", content: images }
    const isUser = role === "user"
    const fitted = isUser ? cleanWithin(text, shares[i]!, sanitizer.clean) : quoteWithin(text, shares[i]!, sanitizer)
    const says = isUser ? "" : `In the role ${JSON.stringify(wordOf(role, words.label))} the server wrote:\n`
    const more = over > 0 && i === received.length - 1 ? `\n[… ${over} more messages left out …]` : ""
    const before = [...fitted.findings, ...removedBefore(words.findings())]
    const wrapped = sanitizer.wrap(says + fitted.text + more, source, before)
    findings.push(...before, ...wrapped.findings)
    const shown = { type: "text" as const, text: wrapped.text }
    if (wrapped.withheld) {
      isWithheld = true
      return { role: "user", content: [shown] }
    }
    if (fitted.note !== undefined) notes.add(fitted.note)
    return { role: "user", content: [shown, ...images] }
  })
  return {
    server,
    prompt: origin.prompt,
    description: description.text,
    messages,
    findings: mergeFindings(findings),
    ...(isWithheld ? { withheld: true as const } : undefined),
    notes: [...notes]
  }
}
