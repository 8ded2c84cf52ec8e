/** Which session a client means, by what it says in `_meta`. */
import * as Effect from "effect/Effect"
import type { ConversationInfo } from "../../schemas/agent/Conversation.ts"
import { sessionIdOf, type SessionMeta } from "./sessionMeta.ts"
import { invalid } from "./failure.ts"
import type { Services } from "./services.ts"

/** Conversations with agents that are none here are none of this client's. */
export const isOursIn =
  ({ agent: own, agents }: Services) =>
  ({ agent = own }: ConversationInfo): boolean =>
    agents.has(agent)

/** Nothing where the client means none in particular. Fails where it means one that there is not. */
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
