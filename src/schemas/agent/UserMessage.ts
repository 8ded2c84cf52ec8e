/** What a person sends to an agent: text and attachments. */
import { sizeInBase64, toBase64, type Base64OrBytes } from "../data/Base64.ts"

/** An attachment that became text for the agent. */
export interface UserSource {
  readonly kind: "resource" | "link"
  readonly uri: string
  readonly name?: string | undefined
  readonly mediaType?: string | undefined
}

/** Text of a person. */
export interface UserText {
  readonly type: "text"
  readonly text: string
  /** Allows to show it again as it was. */
  readonly source?: UserSource | undefined
}

/** A file that a person attached. */
export interface UserFile {
  readonly type: "file"
  readonly mediaType: string
  /** Base64, or bytes if there are many: as text they would take more memory. */
  readonly data: Base64OrBytes
  readonly name?: string | undefined
}

/** One part of what a person sends. */
export type UserPart = UserText | UserFile

/** Parts in order; a string is one text part. */
export type UserMessage = string | ReadonlyArray<UserPart>

export const partsOf = (message: UserMessage): ReadonlyArray<UserPart> =>
  typeof message === "string" ? [{ type: "text", text: message }] : message

/** The text of a message, without its files. */
export const textOf = (message: UserMessage): string =>
  typeof message === "string"
    ? message
    : message.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

/** With files as base64 if they have at most this many characters in total, so that they can be stored and shown again. */
export const inBase64 = (parts: ReadonlyArray<UserPart>, maxChars: number): ReadonlyArray<UserPart> => {
  const files = parts.filter((part) => part.type === "file")
  return files.reduce((sum, { data }) => sum + sizeInBase64(data), 0) < maxChars
    ? parts.map((part) => (part.type === "file" ? { ...part, data: toBase64(part.data) } : part))
    : parts
}
