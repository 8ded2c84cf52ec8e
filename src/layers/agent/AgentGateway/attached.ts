/**
 * Converts attachments for a model: pictures and documents unchanged, texts between lines with a random number that nobody
 * could forge, and a note for everything else. A model would reject the whole message because of one unsupported attachment.
 */
import type { UserContent } from "ai"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { ATTACHED_TEXT_MAX_CHARS } from "../../../schemas/defaults/Orders.ts"
import { isTextType, plainType } from "../../../schemas/content/Media.ts"
import type { UserFile } from "../../../schemas/agent/UserMessage.ts"
import { sizeInBytes, type Base64OrBytes } from "../../../schemas/data/Base64.ts"

export type Part = Exclude<UserContent, string>[number]

const FRAME_BYTES = 8
/** The types that a provider with audio support accepts. */
const SOUNDS: ReadonlySet<string> = new Set(["audio/wav", "audio/mpeg", "audio/mp3", "audio/x-wav"])

/** Some models refuse sounds, and the whole request with them. */
export const isSound = ({ mediaType }: Pick<UserFile, "mediaType">): boolean => SOUNDS.has(plainType(mediaType))

const isTaken = (type: string): boolean => type.startsWith("image/") || type === "application/pdf" || SOUNDS.has(type)

const framed = (name: string, type: string, text: string): string => {
  const id = randomBytes(FRAME_BYTES).toString("hex")
  return `<file id="${id}" name=${JSON.stringify(name)} type=${JSON.stringify(type)}>\n${text}\n</file id="${id}">`
}

/** The length in UTF-16 of a text in UTF-8: continuation bytes count 0, the first byte of the longest characters 2. */
const charsOf = (bytes: Uint8Array): number => {
  let chars = 0
  for (let at = 0; at < bytes.length; at++) chars += (bytes[at]! & 0xc0) === 0x80 ? 0 : bytes[at]! >= 0xf0 ? 2 : 1
  return chars
}

/** Decodes only the beginning of a long text. */
const shortened = (bytes: Uint8Array): string => {
  const chars = charsOf(bytes)
  const text = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.length, ATTACHED_TEXT_MAX_CHARS * 4)
  ).toString()
  return chars <= ATTACHED_TEXT_MAX_CHARS
    ? text
    : `${text.slice(0, ATTACHED_TEXT_MAX_CHARS).toWellFormed()}\n[… ${chars - ATTACHED_TEXT_MAX_CHARS} more characters of this file are not shown]`
}

/** `inPlaceOf` returns the placeholder for large data where a model gets base64. */
export const fromFile = <R>(
  { data, mediaType, name }: UserFile,
  inPlaceOf: (bytes: Uint8Array) => Effect.Effect<Base64OrBytes, never, R>
): Effect.Effect<Part, never, R> => {
  const type = plainType(mediaType)
  if (!isTaken(type)) return Effect.sync(() => inWords(data, type, name))
  return Effect.map(typeof data === "string" ? Effect.succeed<Base64OrBytes>(data) : inPlaceOf(data), (given) => ({
    type: "file",
    data: { type: "data", data: given },
    mediaType,
    ...(name === undefined ? {} : { filename: name })
  }))
}

/** A note for an attachment that a model does not accept. */
export const toldOf = ({ data, mediaType, name }: UserFile): Part => inWords(data, plainType(mediaType), name)

const inWords = (data: Base64OrBytes, type: string, name: string | undefined): Part => {
  const called = name ?? "a file"
  if (isTextType(type) || type.startsWith("text/")) {
    const bytes = typeof data === "string" ? Buffer.from(data, "base64") : data
    return { type: "text", text: framed(called, type, shortened(bytes)) }
  }
  const what = `${JSON.stringify(called)} (${type}, ${sizeInBytes(data)} bytes)`
  return {
    type: "text",
    text: `[The user has attached ${what}. You are told that it is there, and cannot look into it.]`
  }
}
