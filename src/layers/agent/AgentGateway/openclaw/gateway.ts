/**
 * The agent of an OpenClaw gateway. Messages, calls and results are stored here as for every other agent, so that they can be
 * shown again completely; what is missing here is read from the gateway.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { AgentEvent } from "../../../../schemas/agent/AgentEvent.ts"
import { addEvent, titleOf } from "../../../../schemas/agent/Conversation.ts"
import {
  GATEWAY_ASIDE_MS,
  GATEWAY_AWAY_TOLD_MS,
  GATEWAY_HISTORY_MAX,
  GATEWAY_KEPT_MS
} from "../../../../schemas/defaults/Gateway.ts"
import { ORIGIN_MAX_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { GatewayError } from "../../../../schemas/agent/GatewayError.ts"
import { isAgentId } from "../../../../schemas/agent/GatewayFrames.ts"
import { AgentGateway } from "../../../../services/agent/AgentGateway.ts"
import { ContentSanitizer } from "../../../../services/content/ContentSanitizer.ts"
import { GatewayLink } from "../../../../services/agent/GatewayLink.ts"
import { SessionToolInjector } from "../../../../services/agent/SessionToolInjector.ts"
import { SessionTools } from "../../../../services/agent/SessionTools.ts"
import type { Conversations } from "../conversations.ts"
import { makeGateway } from "../gateway.ts"
import type { KeptTurn } from "../keptTurns.ts"
import { readHistory, type Entry, type RunEvent } from "./events.ts"
import { makeDeleted } from "./deleted.ts"
import { makeInjection } from "./injection.ts"
import { gatewayKey, namespaceOf } from "./keys.ts"
import { makeRespond } from "./respond.ts"
import { resultFrom } from "./run.ts"

export interface GatewayOptions {
  /** The gateway's agent. Default: the gateway's default agent. */
  readonly agent?: string | undefined
  /** Whether the gateway's sessions also get our configured servers: not if the gateway reads the same configuration. */
  readonly ownServers: boolean
  readonly directory: string
}

export const makeOpenClaw = Effect.fnUntraced(function* (
  { agent, directory, ownServers }: GatewayOptions,
  conversations: Conversations
) {
  const link = yield* GatewayLink
  const { address, download, operator } = link
  const sanitizer = yield* ContentSanitizer
  const injection = yield* makeInjection(yield* SessionToolInjector, yield* SessionTools)
  const namespace = yield* namespaceOf(directory)

  const id = agent?.toLowerCase()
  const deleted = yield* makeDeleted({ link, directory, namespace, agent: id })

  const keyOf = (sessionKey: string): Effect.Effect<string, GatewayError> => {
    if (id === undefined) {
      return Effect.map(operator.hello, ({ defaultAgent }) => gatewayKey(defaultAgent, namespace, sessionKey))
    }
    return isAgentId(id)
      ? Effect.succeed(gatewayKey(id, namespace, sessionKey))
      : Effect.fail(new GatewayError({ detail: "an OpenClaw gateway has no agents of such a name (--agent)" }))
  }

  /** A request to the gateway outside of an answer; failures are logged. */
  const aside = (sessionKey: string, method: string, params: (key: string) => Readonly<Record<string, unknown>>) =>
    keyOf(sessionKey).pipe(
      Effect.flatMap((key) => operator.request(method, params(key), { timeoutMs: GATEWAY_KEPT_MS })),
      Effect.timeoutOrElse({ duration: GATEWAY_KEPT_MS, orElse: () => Effect.void }),
      Effect.catch((error) => Effect.as(Effect.logWarning(`${method}: ${error.detail}`), undefined))
    )

  const eventsFrom = (event: RunEvent): ReadonlyArray<AgentEvent> => {
    switch (event._tag) {
      case "Text":
        return [{ _tag: "Text", delta: event.delta.toWellFormed() }]
      case "CallStarted":
        return [
          { _tag: "ToolCall", id: event.id, name: sanitizer.label(event.name, ORIGIN_MAX_CHARS), args: event.args }
        ]
      case "CallEnded": {
        const name = sanitizer.label(event.name, ORIGIN_MAX_CHARS)
        return [{ _tag: "ToolResult", id: event.id, name, result: resultFrom(event, sanitizer) }]
      }
      default:
        return []
    }
  }

  const turnsFrom = (entries: ReadonlyArray<Entry>): ReadonlyArray<KeptTurn> => {
    const turns: Array<{ message: KeptTurn["message"]; events: Array<AgentEvent>; messages: [] }> = []
    for (const entry of entries) {
      if (entry._tag === "Said") {
        turns.push({ message: [{ type: "text", text: entry.text.toWellFormed() }], events: [], messages: [] })
        continue
      }
      const last = turns.at(-1)
      if (last === undefined) continue
      for (const event of eventsFrom(entry.event)) addEvent(last.events, event)
    }
    return turns
  }

  /** Imports a conversation that only the gateway has. */
  const recover = Effect.fnUntraced(function* (sessionKey: string) {
    const history = yield* aside(sessionKey, "chat.history", (key) => ({ sessionKey: key, limit: GATEWAY_HISTORY_MAX }))
    const entries = readHistory(history)
    const turns = turnsFrom(entries)
    if (turns.length === 0) return false
    const conversation = yield* conversations.open(sessionKey)
    if (conversation === undefined) return false
    // What is stored here has more than the gateway's history.
    if (conversation.turns.length === 0) {
      conversation.turns = turns
      conversation.info = {
        ...conversation.info,
        title: titleOf(turns[0]!.message),
        createdAt: entries[0]!.at,
        updatedAt: entries.at(-1)!.at
      }
    }
    yield* conversations.save(conversation)
    return true
  })

  const scope = yield* Effect.scope
  const kept = yield* makeGateway(
    makeRespond({ scope, link: operator, download, sanitizer, injection, keyOf, ownServers, deleted }),
    conversations
  )

  const tellOfDeleted = (why: GatewayError) =>
    Effect.logWarning(
      `a conversation was deleted here, and will be deleted at the OpenClaw gateway at ${address} when that can be done: ${why.detail}`
    )

  /** Does not wait for a gateway that is not connected: it learns of it at the next connection. */
  const deleteThere = Effect.fnUntraced(function* (sessionKey: string) {
    yield* Effect.timeoutOption(operator.hello, GATEWAY_AWAY_TOLD_MS)
    const trouble = yield* operator.trouble
    if (trouble !== undefined) return yield* tellOfDeleted(trouble)
    const deleting = yield* Effect.forkIn(deleted.settle(sessionKey).pipe(Effect.catch(tellOfDeleted)), scope)
    yield* Effect.timeoutOption(Fiber.await(deleting), GATEWAY_ASIDE_MS)
  }, Effect.catch(tellOfDeleted))

  /** What is not kept here is fetched from the gateway first, unless it was deleted. */
  const recovered = <A>(read: (sessionKey: string) => Effect.Effect<A | undefined>) =>
    Effect.fnUntraced(function* (sessionKey: string) {
      const known = yield* read(sessionKey)
      if (known !== undefined) return known
      if (yield* deleted.has(sessionKey)) return undefined
      return (yield* recover(sessionKey)) ? yield* read(sessionKey) : undefined
    })

  return AgentGateway.of({
    ...kept,
    elsewhere: true,
    load: recovered(kept.load),
    glance: recovered(kept.glance),
    release: (sessionKey) => Effect.andThen(injection.takeBack(sessionKey), kept.release(sessionKey)),
    forget: Effect.fnUntraced(function* (sessionKey: string) {
      yield* injection.takeBack(sessionKey)
      // Both or none, even if the client disconnects: otherwise the conversation would still exist with an agent that has
      // forgotten it.
      const wasKept = yield* Effect.uninterruptible(
        Effect.andThen(deleted.remember(sessionKey), kept.forget(sessionKey))
      )
      yield* deleteThere(sessionKey)
      return wasKept
    })
  })
})
