/**
 * The position of a page in the list of conversations: a time and a key, so that the next page is right even if conversations
 * were used or deleted in between.
 */
import type { ConversationInfo } from "../../schemas/agent/Conversation.ts"

export type Cursor = Pick<ConversationInfo, "sessionKey" | "updatedAt">

const CURSOR = /^(-?\d{1,16}(?:\.\d{1,16})?):([\s\S]+)$/

export const cursorOf = ({ sessionKey, updatedAt }: Cursor): string => `${updatedAt}:${sessionKey}`

/** `undefined` when it is not a cursor of ours. */
export const readCursor = (given: string): Cursor | undefined => {
  const [, time, sessionKey] = CURSOR.exec(given) ?? []
  return time === undefined || sessionKey === undefined ? undefined : { updatedAt: Number(time), sessionKey }
}
