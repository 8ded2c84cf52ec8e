/**
 * Decodes an agent request: a message, a session, images and files. Nothing in it is trusted: types are checked, sizes are
 * computed before decoding, bytes must match their type, and names are made safe. An error is one sentence that names the
 * image or file and the limit. Media are already decoded (`Medium`) if the message was read that way, else base64.
 */
import * as Result from "effect/Result"
import { decodeBase64, decodedBytes, sizeInBytes } from "../data/Base64.ts"
import {
  ORDER_FILES_MAX,
  ORDER_IMAGES_MAX,
  ORDER_MEDIA_MAX_BYTES,
  ORDER_MESSAGE_MAX_CHARS,
  ORDER_SESSION_KEY_MAX_CHARS
} from "../defaults/Orders.ts"
import { safeFileName, uniqueFileName } from "../data/FileName.ts"
import { isObject } from "../data/Json.ts"
import type { InTurns } from "../data/InTurns.ts"
import {
  endingOf,
  FILE_TYPES,
  IMAGE_TYPES,
  isTextType,
  likelyType,
  looksLike,
  looksLikeInTurns,
  plainType
} from "../content/Media.ts"
import { Medium } from "../content/Medium.ts"
import type { UserFile } from "./UserMessage.ts"

export interface OrderInput {
  /** Exactly as it was written. */
  readonly message: string
  /** The client's own name for the conversation; `undefined` for a new one. */
  readonly sessionKey: string | undefined
  /** First the images, then the files, in their order. */
  readonly attachments: ReadonlyArray<UserFile>
}

type Read<A> = Result.Result<A, string>

const SESSION_KEY = /^[A-Za-z0-9][A-Za-z0-9._:@-]*$/
const SHOWN_CHARS = 60
const MEBIBYTE = 1024 * 1024

/** A foreign word in a sentence of ours. */
const shown = (text: string): string => {
  const short = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text
  return JSON.stringify(short.toWellFormed().replace(/[^\x20-\x7e…]/g, "?"))
}

const typeOf = (given: unknown): string =>
  given === null
    ? "null"
    : Array.isArray(given)
      ? "a list"
      : typeof given === "object"
        ? "an object"
        : `a ${typeof given}`

/** Some clients send `null` for what they leave out. */
const isLeftOut = (given: unknown): given is null | undefined => given === undefined || given === null

const count = (number: number) => number.toLocaleString("en-US")

// ---- words ---------------------------------------------------------------------------------------------------------

const readMessage = (given: unknown, hasMedia: boolean): Read<string> => {
  if (typeof given !== "string") {
    return Result.fail(given === undefined ? "message is missing" : `message must be a string, and is ${typeOf(given)}`)
  }
  if (given.length > ORDER_MESSAGE_MAX_CHARS) {
    return Result.fail(
      `message has ${count(given.length)} characters, and may have ${count(ORDER_MESSAGE_MAX_CHARS)}: send the rest as a file`
    )
  }
  if (!given.isWellFormed()) return Result.fail("message is not valid Unicode: it contains half a character")
  return given.trim() === "" && !hasMedia ? Result.fail("message is empty") : Result.succeed(given)
}

export const readSessionKey = (given: unknown): Read<string | undefined> => {
  if (isLeftOut(given) || given === "") return Result.succeed(undefined)
  if (typeof given !== "string") return Result.fail(`sessionKey must be a string, and is ${typeOf(given)}`)
  if (given.length > ORDER_SESSION_KEY_MAX_CHARS) {
    return Result.fail(`sessionKey has ${count(given.length)} characters, and may have ${ORDER_SESSION_KEY_MAX_CHARS}`)
  }
  return SESSION_KEY.test(given)
    ? Result.succeed(given)
    : Result.fail(
        `sessionKey may contain letters, digits and . _ : @ - and must begin with a letter or a digit, and is ${shown(given)}`
      )
}

// ---- media ---------------------------------------------------------------------------------------------------------

export interface MediaKind {
  readonly key: "images" | "files"
  readonly one: "image" | "file"
  readonly max: number
  readonly types: ReadonlyArray<string>
}

export const IMAGES: MediaKind = { key: "images", one: "image", max: ORDER_IMAGES_MAX, types: Object.keys(IMAGE_TYPES) }
export const FILES: MediaKind = { key: "files", one: "file", max: ORDER_FILES_MAX, types: Object.keys(FILE_TYPES) }

const megabytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(2)} MB`

const wrongType = (type: string, { key, types }: MediaKind): string => {
  const other = key === "images" ? FILES : IMAGES
  const hint = other.types.includes(type) ? `; it belongs into ${other.key}` : ""
  return `has the type ${shown(type)}, and ${key} may be ${types.join(", ")}${hint}`
}

const ALLOWED = `${count(ORDER_MEDIA_MAX_BYTES)} (${ORDER_MEDIA_MAX_BYTES / MEBIBYTE} MB)`

const tooMany = (bytes: number): string => `has ${count(bytes)} bytes (${megabytes(bytes)}), and may have ${ALLOWED}`

/** For a medium that was not read to its end. */
export const tooLargeMedium = ({ one }: MediaKind, index: number): string =>
  `${one} ${index + 1} has more than ${count(ORDER_MEDIA_MAX_BYTES)} bytes (${ORDER_MEDIA_MAX_BYTES / MEBIBYTE} MB)`

/** For a list that was not read to its end. */
export const tooManyMedia = ({ key, max }: MediaKind): string =>
  `there are more than ${max} ${key}, and an order may have ${max}`

const readBytes = (given: unknown): Read<Uint8Array> => {
  if (typeof given !== "string" && !(given instanceof Medium)) {
    return Result.fail(given === undefined ? "has no data" : `must have its data as a string, not as ${typeOf(given)}`)
  }
  // The size of a base64 text is known before it is decoded.
  const said = typeof given === "string" ? decodedBytes(given) : 0
  if (said > ORDER_MEDIA_MAX_BYTES) return Result.fail(tooMany(said))
  const decoded = typeof given === "string" ? decodeBase64(given) : given.decoded
  if ("problem" in decoded) return Result.fail(`cannot be read: its data ${decoded.problem}`)
  const { bytes } = decoded
  return bytes.length > ORDER_MEDIA_MAX_BYTES ? Result.fail(tooMany(bytes.length)) : Result.succeed(bytes)
}

/** The byte order mark of UTF-16. */
const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)

const disagreement = (type: string, bytes: Uint8Array): string => {
  if (isTextType(type)) {
    if (looksLike("text/plain", bytes) === true) return `claims to be ${type}, but its text cannot be parsed`
    if (isUtf16(bytes)) return `claims to be ${type}, but its bytes are not UTF-8; they look like UTF-16`
  }
  const likely = likelyType(bytes)
  const rather =
    likely !== undefined ? `; they look like ${likely}` : isTextType(type) ? ": a text must be UTF-8, without NUL" : ""
  return `claims to be ${type}, but its bytes do not match${rather}`
}

function* readMedium(given: unknown, index: number, kind: MediaKind, taken: Set<string>): InTurns<Read<UserFile>> {
  if (!isObject(given)) return Result.fail(`must be an object, and is ${typeOf(given)}`)
  const { data, filename, mimeType } = given
  if (typeof mimeType !== "string") {
    return Result.fail(mimeType === undefined ? "has no mimeType" : `must have its mimeType as a string`)
  }
  if (!isLeftOut(filename) && typeof filename !== "string") {
    return Result.fail(`must have its filename as a string, not as ${typeOf(filename)}`)
  }
  const mediaType = plainType(mimeType)
  if (!kind.types.includes(mediaType)) return Result.fail(wrongType(mediaType, kind))
  const read = readBytes(data)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const bytes = read.success
  if ((yield* looksLikeInTurns(mediaType, bytes)) !== true) return Result.fail(disagreement(mediaType, bytes))
  const name = safeFileName(filename ?? undefined, `${kind.one}-${index + 1}.${endingOf(mediaType)}`)
  return Result.succeed({ type: "file", mediaType, data: bytes, name: uniqueFileName(name, taken) })
}

function* readMedia(given: unknown, kind: MediaKind, taken: Set<string>): InTurns<Read<ReadonlyArray<UserFile>>> {
  if (isLeftOut(given)) return Result.succeed([])
  if (!Array.isArray(given)) return Result.fail(`${kind.key} must be a list, and is ${typeOf(given)}`)
  if (given.length > kind.max) {
    return Result.fail(`there are ${count(given.length)} ${kind.key}, and an order may have ${kind.max}`)
  }
  const read: Array<UserFile> = []
  for (const [index, one] of given.entries()) {
    yield
    const medium = yield* readMedium(one, index, kind, taken)
    if (Result.isFailure(medium)) return Result.fail(`${kind.one} ${index + 1} of ${given.length} ${medium.failure}`)
    read.push(medium.success)
  }
  return Result.succeed(read)
}

/** Fails with one sentence. Unknown keys are ignored. Works in steps, because many bytes may have to be checked. */
export function* readOrder(given: unknown): InTurns<Read<OrderInput>> {
  if (!isObject(given)) return Result.fail("an order must be an object")
  const hasMedia = [given["images"], given["files"]].some((list) => Array.isArray(list) && list.length > 0)
  const message = readMessage(given["message"], hasMedia)
  if (Result.isFailure(message)) return Result.fail(message.failure)
  const sessionKey = readSessionKey(given["sessionKey"])
  if (Result.isFailure(sessionKey)) return Result.fail(sessionKey.failure)
  const taken = new Set<string>()
  const images = yield* readMedia(given["images"], IMAGES, taken)
  if (Result.isFailure(images)) return Result.fail(images.failure)
  const files = yield* readMedia(given["files"], FILES, taken)
  return Result.map(files, (others) => ({
    message: message.success,
    sessionKey: sessionKey.success,
    attachments: [...images.success, ...others]
  }))
}

/** The memory that a request uses while it is under way. */
export const heldBytes = ({ attachments, message }: OrderInput): number =>
  attachments.reduce((sum, { data }) => sum + sizeInBytes(data), message.length)
