/** What a person sends to an agent: text, and what they put beside it. */

/** What the person put beside their words, where it became text for the agent. */
export interface UserSource {
  readonly kind: "resource" | "link"
  readonly uri: string
  readonly name?: string | undefined
  readonly mediaType?: string | undefined
}

export interface UserText {
  readonly type: "text"
  readonly text: string
  /** So that it can be shown again as it was. */
  readonly source?: UserSource | undefined
}

export interface UserFile {
  readonly type: "file"
  readonly mediaType: string
  /** Base64. */
  readonly data: string
  readonly name?: string | undefined
}

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
