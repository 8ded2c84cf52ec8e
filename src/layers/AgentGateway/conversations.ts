/** Conversations by session key, in memory. The least recently used ones are forgotten when there are too many. */
import type { ModelMessage } from "ai"
import * as Semaphore from "effect/Semaphore"
import { AGENT_CONVERSATIONS_MAX } from "../../schemas/Defaults.ts"

export interface Conversation {
  /** One answer at a time. */
  readonly turn: Semaphore.Semaphore
  messages: ReadonlyArray<ModelMessage>
  /** Messages that are being answered or wait for their turn; such a conversation is never forgotten. */
  waiting: number
}

export const makeConversations = (max: number = AGENT_CONVERSATIONS_MAX) => {
  const conversations = new Map<string, Conversation>()

  const forgetOldest = () => {
    for (const [key, conversation] of conversations) {
      if (conversations.size <= max) return
      if (conversation.waiting === 0) conversations.delete(key)
    }
  }

  /** The conversation of a session, now the most recently used one. */
  return (sessionKey: string): Conversation => {
    const conversation = conversations.get(sessionKey) ?? { turn: Semaphore.makeUnsafe(1), messages: [], waiting: 0 }
    conversations.delete(sessionKey)
    conversations.set(sessionKey, conversation)
    forgetOldest()
    return conversation
  }
}
