/** Finds the session that a client names in `_meta`. */
import * as Effect from "effect/Effect"
import type { ConversationInfo } from "../../schemas/agent/Conversation.ts"
import { sessionIdOf, type SessionMeta } from "./sessionMeta.ts"
import { invalid } from "./failure.ts"
import type { Services } from "./services.ts"

/** Whether the agent of a conversation is one of those that this client can use. */
export const isOursIn =
  ({ agent: own, agents }: Services) =>
  ({ agent = own }: ConversationInfo): boolean =>
    agents.has(agent)

/** `undefined` when the client names no session. Fails when there is no such session. */
export const sessionMeant = Effect.fnUntraced(function* (
  { sessionKey, sessionLabel }: SessionMeta,
  services: Services
) {
  const { agent, gateway } = services
  if (sessionLabel !== undefined) {
    const found = (yield* gateway.list).find((info) => isOursIn(services)(info) && info.title === sessionLabel)
    return found?.sessionKey ?? (yield* invalid("no session has the title of _meta.sessionLabel"))
  }
  if (sessionKey === undefined) return undefined
  return sessionIdOf(gateway.elsewhere === true ? `elsewhere ${agent}` : agent, sessionKey)
})
