/** What a person sends to an agent: text, and what they put beside it. */
import { sizeInBase64, toBase64, type Base64OrBytes } from "../data/Base64.ts"

/** What the person put beside their words, where it became text for the agent. */
export interface UserSource {
  readonly kind: "resource" | "link"
  readonly uri: string
  readonly name?: string | undefined
  readonly mediaType?: string | undefined
}

/** Text that a person wrote. */
export interface UserText {
  readonly type: "text"
  readonly text: string
  /** So that it can be shown again as it was. */
  readonly source?: UserSource | undefined
}

/** A file that a person put beside their text. */
export interface UserFile {
  readonly type: "file"
  readonly mediaType: string
  /** Base64, or the bytes themselves where they are many: a text of them would be larger, and in the way. */
  readonly data: Base64OrBytes
  readonly name?: string | undefined
}

/** One part of what a person sends. */
export type UserPart = UserText | UserFile

/** Parts in the order in which they were written; a string is one part of text. */
export type UserMessage = string | ReadonlyArray<UserPart>

export const partsOf = (message: UserMessage): ReadonlyArray<UserPart> =>
  typeof message === "string" ? [{ type: "text", text: message }] : message

/** All the text of a message, without its files. */
export const textOf = (message: UserMessage): string =>
  typeof message === "string"
    ? message
    : message.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

/** With its files as base64, where they are no more than this in all: so they can be kept and told again as they are. */
export const inBase64 = (parts: ReadonlyArray<UserPart>, maxChars: number): ReadonlyArray<UserPart> => {
  const files = parts.filter((part) => part.type === "file")
  return files.reduce((sum, { data }) => sum + sizeInBase64(data), 0) < maxChars
    ? parts.map((part) => (part.type === "file" ? { ...part, data: toBase64(part.data) } : part))
    : parts
}
