/**
 * Keeps, for programs, the data that an agent only gets a description of: within the rest of the result's budget, else in the
 * store.
 */
import type { Cleaner } from "../../../schemas/content/Cleaner.ts"
import { isBase64, sizeOfBase64 } from "../../../schemas/content/ContentBlock.ts"
import { LABEL_MAX_CHARS, SHOWN_URI_MAX_CHARS, URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { inLine, numberOf } from "../../../schemas/content/ServerText.ts"
import type { LinkWords, Original } from "../../../schemas/call/Tool.ts"
import type { ResultStore } from "../../../services/call/ResultStore.ts"
import type { ResultOrigin } from "../../../services/call/ToolBridge.ts"
import type { Found } from "./content.ts"

export interface Originals {
  readonly originals: ReadonlyArray<Original>
  readonly notes: ReadonlyArray<string>
}

/** At most `maxBytes` of base64 and long URIs; what exceeds that goes to the store, item by item. */
export const originalsOf = (
  found: ReadonlyArray<Found>,
  maxBytes: number,
  origin: ResultOrigin,
  { holdsSecret, label }: Pick<Cleaner, "holdsSecret" | "label">,
  store: Pick<ResultStore["Service"], "keep">
): Originals => {
  const notes: Array<string> = []
  let room = maxBytes

  const word = (given: unknown, maxChars: number): string | undefined =>
    typeof given === "string" ? inLine(given, label, maxChars) : undefined

  /** A URI that is cut is useless, so a long one is counted against the budget. */
  const address = (uri: unknown): string | undefined => {
    const whole = word(uri, URI_MAX_CHARS)
    if (whole === undefined || whole.length <= SHOWN_URI_MAX_CHARS) return whole
    const bytes = Buffer.byteLength(whole)
    if (bytes > room) return word(uri, SHOWN_URI_MAX_CHARS)
    room -= bytes
    return whole
  }

  /** Whether programs may have the data unchanged: valid base64 without a known secret. */
  const isPlain = (data: string): boolean => isBase64(data) && !holdsSecret(data)

  const contentOf = (data: string): Pick<Original, "data" | "handle"> => {
    if (data.length <= room && (data === "" || isPlain(data))) {
      room -= data.length
      return { data }
    }
    const handle = store.keep(data, origin)
    if (handle !== undefined) return { handle }
    notes.push(`an original of ${sizeOfBase64(data)} is too large to be kept`)
    return {}
  }

  /** The attributes of a link are limited like labels; longer ones are left out. */
  const wordsOf = ({ description, name, size, title }: Readonly<Record<string, unknown>>): LinkWords => {
    const words = Object.entries({ name, title, description }).flatMap(([key, given]) => {
      const said = word(given, LABEL_MAX_CHARS)
      const bytes = Buffer.byteLength(said ?? "")
      if (said === undefined || bytes > room) return []
      room -= bytes
      return [[key, said] as const]
    })
    const bytes = numberOf(size, label)
    return { ...Object.fromEntries(words), ...(bytes === undefined ? {} : { size: bytes }) }
  }

  const originals = found.map(({ data, link, mimeType, type, uri }): Original => ({
    type,
    mimeType: word(mimeType, LABEL_MAX_CHARS),
    uri: address(uri),
    bytes: data === undefined ? 0 : decodedBytes(data),
    ...(data === undefined ? {} : contentOf(data)),
    ...(link === undefined ? {} : { link: wordsOf(link) })
  }))
  return { originals, notes }
}

const decodedBytes = (data: string): number => {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0
  return Math.floor(((data.length - padding) * 3) / 4)
}
