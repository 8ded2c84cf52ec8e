/** Passes a server's question to the person through the client. Only valid answers are passed on. */
import type { ClientCapabilities, CreateElicitationRequest } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { SessionHost } from "../../layers/content/HostFeatures.ts"
import {
  elicitationWords,
  type ElicitationRequest,
  type ElicitationResult,
  type ElicitationValue
} from "../../schemas/content/HostRequest.ts"
import { isObject } from "../../schemas/data/Json.ts"
import type { AcpClient } from "./services.ts"

/** The modes in which the client can ask its person. */
export const modesOf = (capabilities: ClientCapabilities | undefined): ReadonlyArray<ElicitationRequest["mode"]> => {
  const given = capabilities?.elicitation
  if (!isObject(given)) return []
  return (["form", "url"] as const).filter((mode) => isObject(given[mode]))
}

export const requestOf = (sessionId: string, request: ElicitationRequest): CreateElicitationRequest => {
  const message = elicitationWords(request)
  return request.mode === "form"
    ? { sessionId, mode: "form", message, requestedSchema: { ...request.requestedSchema, type: "object" } }
    : {
        sessionId,
        mode: "url",
        message,
        url: request.url,
        elicitationId: request.elicitationId ?? randomUUID()
      }
}

/** `HostFeatures` checks the content against the form. */
export const resultOf = (response: unknown): ElicitationResult => {
  const { action, content } = isObject(response) ? response : {}
  if (action === "accept") {
    return isObject(content) ? { action, content: content as Record<string, ElicitationValue> } : { action }
  }
  return { action: action === "decline" ? "decline" : "cancel" }
}

/** If the client fails, its person has not answered. */
export const elicitFrom =
  (sessionId: string, ask: AcpClient["askElicitation"]): NonNullable<SessionHost["elicit"]> =>
  (request) =>
    ask(requestOf(sessionId, request)).pipe(
      Effect.map(resultOf),
      Effect.orElseSucceed((): ElicitationResult => ({ action: "cancel" }))
    )
