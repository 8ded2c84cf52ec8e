/** The result of a call as blocks for a person: texts, images, sound, links and values. Everything in it is a server's. Pure. */
import { FINDING_KINDS, type Finding, type FindingKind } from "../../../../schemas/content/Finding.ts"
import type { FindingPlace } from "../../../../schemas/content/FindingPlaces.ts"
import type { Content, ErrorDetails, Original, ResultDetails } from "../../../../schemas/call/Tool.ts"
import type { Json } from "../../../../schemas/data/Json.ts"
import type { Mark } from "../text/marks.ts"

export type Block =
  | { readonly kind: "text"; readonly text: string; readonly marks: ReadonlyArray<Mark> }
  | { readonly kind: "image" | "audio"; readonly mimeType: string; readonly data: string }
  /** Content that is named and not shown. */
  | { readonly kind: "other"; readonly words: string }
  | { readonly kind: "link"; readonly address: string; readonly opens: boolean; readonly words: ReadonlyArray<string> }
  | { readonly kind: "value"; readonly value: Json }

export interface Shown {
  readonly blocks: ReadonlyArray<Block>
  readonly findings: ReadonlyArray<Finding>
  /** In the gateway's own words. */
  readonly notes: ReadonlyArray<string>
}

/** What the page gets of a result. */
export interface Received {
  readonly content: ReadonlyArray<Content>
  readonly isError: boolean
  readonly details: ResultDetails | ErrorDetails
  readonly structuredContent?: Json
}

/** Pixels and sound alone: a drawing such as SVG is a document. Of these pictures the size is known before they are drawn. */
const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
const SOUNDS: ReadonlySet<string> = new Set([
  "audio/mpeg",
  "audio/mp3",
  "audio/wav",
  "audio/x-wav",
  "audio/wave",
  "audio/ogg",
  "audio/opus",
  "audio/mp4",
  "audio/aac",
  "audio/flac",
  "audio/webm"
])

const plain = (mimeType: string): string => mimeType.split(";")[0]!.trim().toLowerCase()

export const isPicture = (mimeType: string): boolean => PICTURES.has(plain(mimeType))
export const isSound = (mimeType: string): boolean => SOUNDS.has(plain(mimeType))

/** Longer ones would make the page slow. */
const MEDIA_MAX_CHARS = 32 * 1024 * 1024

const mediaOf = (mimeType: string, data: string, otherwise: string): Block => {
  const kind = isPicture(mimeType) ? "image" : isSound(mimeType) ? "audio" : undefined
  if (kind === undefined) return { kind: "other", words: otherwise }
  if (data.length > MEDIA_MAX_CHARS) return { kind: "other", words: `${otherwise} It is too large to be shown here.` }
  return { kind, mimeType: plain(mimeType), data }
}

// ---- findings ----------------------------------------------------------------------------------------------------------

const KIND_WORDS: Readonly<Record<FindingKind, string>> = {
  pattern: "reads like an instruction to a model",
  exfilLink: "could carry data away",
  forgedMarker: "imitates the gateway's own marks",
  specialToken: "imitates a token of a chat template",
  hiddenUnicode: "cannot be seen",
  ansi: "controls a terminal",
  control: "is a control character",
  secretEcho: "is a secret of this gateway",
  outputMismatch: "does not match the tool's output schema"
}

/** What was taken out leaves nothing to mark. */
const REMOVED: ReadonlySet<FindingKind> = new Set(["hiddenUnicode", "ansi", "control"])

export const findingWords = ({ count, detail, kind }: Finding): string =>
  `${detail}: ${KIND_WORDS[kind]}${REMOVED.has(kind) ? ", and was removed" : ""}${count > 1 ? ` (${count} times)` : ""}`

/** What the gateway puts in the place of something, by the finding that says so. */
const STAND_INS: Readonly<Partial<Record<FindingKind, string>>> = {
  forgedMarker: "[[MARKER_SANITIZED]]",
  specialToken: "[[TOKEN_SANITIZED]]",
  secretEcho: "[REDACTED]"
}

const MARKS_MAX = 500

/** These stay in the text: the gateway knows where. */
const STAYING: ReadonlySet<FindingKind> = new Set(["pattern", "exfilLink"])

export const haveStaying = (findings: ReadonlyArray<Finding>): boolean => findings.some(({ kind }) => STAYING.has(kind))

export const marksAt = (places: ReadonlyArray<FindingPlace>): ReadonlyArray<Mark> =>
  places.flatMap(({ detail, from, kind, to }) =>
    STAYING.has(kind) ? [{ from, to, words: `${detail}: ${KIND_WORDS[kind]}` }] : []
  )

/** Where something was replaced. */
export const standInsIn = (text: string, findings: ReadonlyArray<Finding>): ReadonlyArray<Mark> =>
  findings.flatMap((finding) => {
    const stand = STAND_INS[finding.kind]
    const marks: Array<Mark> = []
    let from = stand === undefined ? -1 : text.indexOf(stand)
    while (from >= 0 && marks.length < MARKS_MAX) {
      marks.push({ from, to: from + stand!.length, words: `${finding.detail}: ${KIND_WORDS[finding.kind]}` })
      from = text.indexOf(stand!, from + stand!.length)
    }
    return marks
  })

// ---- links and other content ---------------------------------------------------------------------------------------------

const HTTPS = /^https:\/\/[^\s\\]+$/i

/** Only what opens an ordinary page, with no name or password in front of the host that could hide where it leads. */
export const opensInBrowser = (address: string): boolean => {
  if (!HTTPS.test(address) || !URL.canParse(address)) return false
  const { password, username } = new URL(address)
  return username === "" && password === ""
}

const sizeOf = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} KB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MB`

const originalBlock = ({ bytes, data, link, mimeType, type, uri }: Original): Block => {
  if (type === "resource_link") {
    const words = [
      link?.title ?? link?.name,
      link?.description,
      mimeType,
      link?.size === undefined ? undefined : sizeOf(link.size)
    ]
    const address = uri ?? ""
    return {
      kind: "link",
      address,
      opens: opensInBrowser(address),
      words: words.filter((word) => word !== undefined && word !== "") as ReadonlyArray<string>
    }
  }
  const noun = type === "blob" ? "data" : type
  const words = `The server sent ${noun} of the type ${mimeType ?? "unknown"}, ${sizeOf(bytes)}; it is not shown.`
  return data === undefined ? { kind: "other", words } : mediaOf(mimeType ?? "", data, words)
}

const contentBlock = (content: Content, findings: ReadonlyArray<Finding>): Block =>
  content.type === "text"
    ? { kind: "text", text: content.text, marks: standInsIn(content.text, findings) }
    : mediaOf(
        content.mimeType,
        content.data,
        `The server sent an image of the type ${content.mimeType}; it is not shown.`
      )

const isResult = (details: Received["details"]): details is ResultDetails => !("error" in details)

/** Structured content is usually sent as text, too: for programs that do not know it. */
const repeats = (text: string, value: Json): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value)
  } catch {
    return false
  }
}

export const shownResult = ({ content, details, structuredContent }: Received): Shown => {
  const found = (isResult(details) ? details.findings : details.findings) ?? []
  const findings = found.toSorted((one, other) => FINDING_KINDS.indexOf(one.kind) - FINDING_KINDS.indexOf(other.kind))
  const parts =
    structuredContent === undefined
      ? content
      : content.filter((part) => part.type !== "text" || !repeats(part.text, structuredContent))
  return {
    blocks: [
      ...(structuredContent === undefined ? [] : [{ kind: "value" as const, value: structuredContent }]),
      ...parts.map((part) => contentBlock(part, findings)),
      ...(isResult(details) ? (details.originals ?? []).map(originalBlock) : [])
    ],
    findings,
    notes: isResult(details) ? details.notes : []
  }
}
