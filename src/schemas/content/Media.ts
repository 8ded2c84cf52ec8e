/**
 * Recognizes the media types of agent requests and answers by the first bytes. The contents of archives and films are not examined.
 */
import { isUtf8 } from "node:buffer"
import type { InTurns } from "../data/InTurns.ts"
import { isJson, isJsonInTurns } from "../data/JsonSyntax.ts"

type Looks = (bytes: Uint8Array) => boolean

const codes = (text: string): ReadonlyArray<number> => [...text].map((char) => char.charCodeAt(0))

const has = (bytes: Uint8Array, at: number, wanted: ReadonlyArray<number>): boolean =>
  bytes.length >= at + wanted.length && wanted.every((byte, index) => bytes[at + index] === byte)

const begins =
  (...wanted: ReadonlyArray<number>): Looks =>
  (bytes) =>
    has(bytes, 0, wanted)
const word = (text: string, at = 0): Looks => {
  const wanted = codes(text)
  return (bytes) => has(bytes, at, wanted)
}
const any =
  (...looks: ReadonlyArray<Looks>): Looks =>
  (bytes) =>
    looks.some((look) => look(bytes))
const all =
  (...looks: ReadonlyArray<Looks>): Looks =>
  (bytes) =>
    looks.every((look) => look(bytes))
const not =
  (look: Looks): Looks =>
  (bytes) =>
    !look(bytes)

// ---- texts ---------------------------------------------------------------------------------------------------------

const text: Looks = (bytes) => !bytes.includes(0) && isUtf8(bytes)
const json: Looks = (bytes) => text(bytes) && isJson(bytes)

// ---- sound and video -----------------------------------------------------------------------------------------------

/** The header of an MPEG audio frame: neither of its fields may have a reserved value. */
const mpegFrame: Looks = ([first, second = 0, third = 0]) =>
  first === 0xff &&
  (second & 0xe0) === 0xe0 &&
  (second & 0x18) !== 0x08 &&
  (second & 0x06) !== 0x00 &&
  (third & 0xf0) !== 0xf0 &&
  (third & 0x0c) !== 0x0c

/** An ADTS frame: its layer has the value that MPEG audio reserves. */
const adts: Looks = ([first, second = 0]) => first === 0xff && (second & 0xf6) === 0xf0

const OPUS_HEAD_AT = 28
const FORM_AT = 8
const riff = (form: string): Looks => all(word("RIFF"), word(form, FORM_AT))

const BRAND_AT = 8
/** Brands of images in the same container. */
const PICTURES = ["avif", "avis", "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "jpeg", "crx "]
const base: Looks = word("ftyp", 4)
const quicktimeBrand: Looks = all(base, word("qt  ", BRAND_AT))
const mp4: Looks = all(base, not(any(...["qt  ", ...PICTURES].map((brand) => word(brand, BRAND_AT)))))
/** Files from before brands begin with one of these. */
const quicktime: Looks = any(
  quicktimeBrand,
  ...["moov", "mdat", "wide", "free", "skip", "pnot"].map((atom) => word(atom, 4))
)

const DOCTYPE_WITHIN = 4 * 1024
/** The element for the document type of Matroska, with a length of one byte. */
const WEBM = [0x42, 0x82, 0x84, ...codes("webm")]
const webm: Looks = (bytes) =>
  begins(0x1a, 0x45, 0xdf, 0xa3)(bytes) && Buffer.from(bytes.subarray(0, DOCTYPE_WITHIN)).includes(Buffer.from(WEBM))

// ---- archives ------------------------------------------------------------------------------------------------------

const TAR_BLOCK = 512
const [TAR_SUM_AT, TAR_SUM_CHARS] = [148, 8]
const SPACE = 0x20

/** Checks the checksum of the first header, which even the oldest versions have; or the two empty blocks of an empty archive. */
const tar: Looks = (bytes) => {
  if (bytes.length < TAR_BLOCK) return false
  const header = bytes.subarray(0, TAR_BLOCK)
  if (header.every((byte) => byte === 0)) return bytes.length >= 2 * TAR_BLOCK
  const field = header.subarray(TAR_SUM_AT, TAR_SUM_AT + TAR_SUM_CHARS)
  const written = /^[ 0]*([0-7]{1,7})[ \0]*$/.exec(Buffer.from(field).toString("latin1"))?.[1]
  if (written === undefined) return false
  const sum = header.reduce((total, byte) => total + byte, 0)
  const withoutField = sum - field.reduce((total, byte) => total + byte, 0) + TAR_SUM_CHARS * SPACE
  return Number.parseInt(written, 8) === withoutField
}

const gzip: Looks = begins(0x1f, 0x8b, 0x08)

// ---- the tables ----------------------------------------------------------------------------------------------------

export const IMAGE_TYPES: Readonly<Record<string, Looks>> = {
  "image/jpeg": begins(0xff, 0xd8, 0xff),
  "image/png": begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  "image/gif": any(word("GIF87a"), word("GIF89a")),
  "image/webp": riff("WEBP")
}

export const FILE_TYPES: Readonly<Record<string, Looks>> = {
  "application/pdf": word("%PDF-"),
  "text/plain": text,
  "text/markdown": text,
  "text/html": text,
  "text/csv": text,
  "application/json": json,
  "audio/mpeg": any(word("ID3"), mpegFrame),
  "audio/wav": any(riff("WAVE"), all(word("RF64"), word("WAVE", FORM_AT))),
  "audio/ogg": word("OggS"),
  "audio/mp4": mp4,
  "audio/aac": any(adts, word("ADIF")),
  "audio/flac": word("fLaC"),
  "audio/opus": all(word("OggS"), word("OpusHead", OPUS_HEAD_AT)),
  "video/mp4": mp4,
  "video/webm": webm,
  "video/quicktime": quicktime,
  "video/x-msvideo": riff("AVI "),
  "application/zip": any(
    begins(0x50, 0x4b, 0x03, 0x04),
    begins(0x50, 0x4b, 0x05, 0x06),
    begins(0x50, 0x4b, 0x07, 0x08)
  ),
  "application/gzip": gzip,
  "application/x-tar": tar,
  "application/x-compressed-tar": gzip
}

const KNOWN: Readonly<Record<string, Looks>> = { ...IMAGE_TYPES, ...FILE_TYPES }

const TEXT_TYPES: ReadonlySet<string> = new Set([
  "text/plain",
  "text/markdown",
  "text/html",
  "text/csv",
  "application/json"
])

/** A media type for comparisons: in lower case, without a parameter that only says UTF-8. */
export const plainType = (given: string): string => {
  const [type = "", ...parameters] = given
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  const saysUtf8 = parameters.every((part) => /^charset="?(?:utf-?8|us-ascii)"?$/.test(part))
  return parameters.length === 0 || (TEXT_TYPES.has(type) && saysUtf8) ? type : given.toLowerCase()
}

/** Without parameters. */
export const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,127}$/i
const PARAMETER = /^[a-z0-9_.-]{1,32}=(?:"[a-z0-9_.+ -]{0,70}"|[a-z0-9_.+-]{1,70})$/i
const PARAMETERS_MAX = 4

/** Whether a text is a media type at all: from outside it may be anything. */
export const isMediaType = (given: string): boolean => {
  const [type = "", ...parameters] = given.split(";").map((part) => part.trim())
  return MEDIA_TYPE.test(type) && parameters.length <= PARAMETERS_MAX && parameters.every((one) => PARAMETER.test(one))
}

export const isTextType = (type: string): boolean => TEXT_TYPES.has(type)

/** Whether the bytes match the type; `undefined` for an unknown type. */
export const looksLike = (type: string, bytes: Uint8Array): boolean | undefined =>
  Object.hasOwn(KNOWN, type) ? KNOWN[type]!(bytes) : undefined

/** The same in steps: a large JSON takes a while. */
export function* looksLikeInTurns(type: string, bytes: Uint8Array): InTurns<boolean | undefined> {
  return type === "application/json" ? text(bytes) && (yield* isJsonInTurns(bytes)) : looksLike(type, bytes)
}

/**
 * The listed type that the bytes match instead, as a hint for a person. Every file can be text, so text types are not suggested.
 */
export const likelyType = (bytes: Uint8Array): string | undefined =>
  Object.keys(KNOWN).find((type) => !TEXT_TYPES.has(type) && KNOWN[type]!(bytes))

const ENDINGS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "text/plain": "txt",
  "text/markdown": "md",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "video/quicktime": "mov",
  "video/x-msvideo": "avi",
  "application/gzip": "gz",
  "application/x-tar": "tar",
  "application/x-compressed-tar": "tar.gz"
}

/** The file name extension of a type, without the dot. */
export const endingOf = (type: string): string =>
  (Object.hasOwn(ENDINGS, type) ? ENDINGS[type] : /\/([a-z0-9]{1,8})$/.exec(type)?.[1]) ?? "bin"
