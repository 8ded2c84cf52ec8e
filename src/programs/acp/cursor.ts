/**
 * Where a page of the list ends: at a moment and a key, so that the next page is the next one also where conversations of
 * the page before were used or deleted meanwhile.
 */
import type { ConversationInfo } from "../../schemas/agent/Conversation.ts"

export type Cursor = Pick<ConversationInfo, "sessionKey" | "updatedAt">

const CURSOR = /^(-?\d{1,16}(?:\.\d{1,16})?):([\s\S]+)$/

export const cursorOf = ({ sessionKey, updatedAt }: Cursor): string => `${updatedAt}:${sessionKey}`

/** `undefined` when it is none of ours. */
export const readCursor = (given: string): Cursor | undefined => {
  const [, time, sessionKey] = CURSOR.exec(given) ?? []
  return time === undefined || sessionKey === undefined ? undefined : { updatedAt: Number(time), sessionKey }
}
