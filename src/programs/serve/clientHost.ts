/**
 * Passes requests of servers to the client that they concern. `HostFeatures` cleans the requests and checks the answers; this
 * module only decides which client is asked. In doubt, or when the client cannot be asked, the request is refused.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import * as HostFeaturesLayer from "../../layers/content/HostFeatures.ts"
import {
  HostRefusal,
  REFUSED,
  elicitationWords,
  type ElicitationRequest,
  type ElicitationResult,
  type Root,
  type SamplingContent,
  type SamplingRequest,
  type SamplingResult
} from "../../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import type { AskRefused } from "../../schemas/listener/ListenerError.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { AuditLog } from "../../services/call/AuditLog.ts"
import type { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { HostFeatures } from "../../services/content/HostFeatures.ts"
import type { RequestContext } from "../../services/listener/McpListener.ts"
import { resultOf } from "../acp/elicitation.ts"
import type { Underway } from "./questionRouting.ts"

/** The server whose request is being answered. */
class Asking extends Context.Reference<ServerConfig | undefined>("mcp-live/programs/serve/Asking", {
  defaultValue: (): ServerConfig | undefined => undefined
}) {}

/** Finds the client that a server asks or informs. */
export interface Options extends Pick<Underway, "only" | "unasked" | "whom"> {
  /** Without it, servers are told that there are no roots. */
  readonly roots?: ReadonlyArray<Root> | undefined
}

// ---- elicitation ---------------------------------------------------------------------------------------------------

export const toElicitation = (request: ElicitationRequest): JsonObject => {
  const message = elicitationWords(request)
  // Before 2025-11-25 there is only one mode, without a name.
  return request.mode === "form"
    ? { message, requestedSchema: request.requestedSchema }
    : {
        mode: "url",
        message,
        url: request.url,
        elicitationId: request.elicitationId ?? randomUUID()
      }
}

/** A client that refuses has answered for its person; one that disconnected or failed has not. */
const unanswered = ({ reason }: AskRefused): ElicitationResult => ({
  action: reason === "gone" ? "cancel" : "decline"
})

const elicitFrom = ({ ask, can }: RequestContext, request: ElicitationRequest): Effect.Effect<ElicitationResult> =>
  can.elicitation[request.mode]
    ? ask("elicitation/create", toElicitation(request)).pipe(
        Effect.map(resultOf),
        Effect.catch((refused) => Effect.succeed(unanswered(refused)))
      )
    : Effect.as(
        Effect.logInfo(`a question of MCP server '${request.server}' was declined: its client cannot ask for that`),
        { action: "decline" }
      )

// ---- sampling ------------------------------------------------------------------------------------------------------

/** Before 2025-11-25 a message has one block. */
const toMessages = ({ messages }: SamplingRequest): ReadonlyArray<JsonObject> =>
  messages.flatMap(({ content, role }) => content.map((block: SamplingContent) => ({ role, content: { ...block } })))

export const toSampling = (request: SamplingRequest): JsonObject => {
  const { maxTokens, modelHints, stopSequences, systemPrompt, temperature } = request
  return {
    messages: toMessages(request),
    maxTokens,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences.length === 0 ? {} : { stopSequences }),
    ...(modelHints.length === 0 ? {} : { modelPreferences: { hints: modelHints.map((name) => ({ name })) } })
  }
}

const refused = (message: string) => new HostRefusal({ code: REFUSED, message })

const STOP_REASONS = ["endTurn", "stopSequence", "maxTokens"] as const

/** The text of the client's answer, which may be anything. */
export const fromSampling = ({ content, model, stopReason }: JsonObject): SamplingResult | undefined => {
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : [content]
  const texts = blocks.flatMap((block) =>
    isObject(block) && block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : []
  )
  if (texts.length === 0) return undefined
  const reason = STOP_REASONS.find((known) => known === stopReason)
  return {
    text: texts.join("\n"),
    model: typeof model === "string" ? model : "unknown",
    ...(reason === undefined ? {} : { stopReason: reason })
  }
}

const sampleFrom = Effect.fnUntraced(function* ({ ask, can }: RequestContext, request: SamplingRequest) {
  if (!can.sampling) return yield* refused("the client of this call has no model to ask")
  const answer = yield* Effect.mapError(ask("sampling/createMessage", toSampling(request)), ({ reason }) =>
    refused(reason === "gone" ? "the client of this call is gone" : "the client of this call said no")
  )
  return fromSampling(answer) ?? (yield* refused("the client of this call answered with no text"))
})

// ---- the layer -----------------------------------------------------------------------------------------------------

export const layerHost = ({
  only,
  roots,
  unasked,
  whom
}: Options): Layer.Layer<HostFeatures, never, ContentSanitizer | AuditLog> => {
  /** The client of a request; `undefined` with a line in the log when there is none. */
  const clientOf = (server: string, what: string) =>
    Effect.gen(function* () {
      const config = yield* Asking
      const found = config === undefined ? "nobody knows which server it is" : yield* whom(config)
      if (typeof found !== "string") return found
      yield* Effect.logWarning(`${what} of MCP server '${server}' was not passed on: ${found}`)
      return undefined
    })

  const inner = HostFeaturesLayer.layer({
    roots,
    unasked,
    elicit: (request) =>
      Effect.flatMap(clientOf(request.server, "a question"), (client) =>
        client === undefined ? Effect.succeed({ action: "decline" } as const) : elicitFrom(client, request)
      ),
    sample: (request) =>
      Effect.flatMap(clientOf(request.server, "a request for a completion"), (client) =>
        client === undefined ? Effect.fail(refused("there is no client to ask")) : sampleFrom(client, request)
      )
  })
  return Layer.effect(
    HostFeatures,
    Effect.map(HostFeatures, (features) =>
      HostFeatures.of({
        ...features,
        answer: (server, method, params) =>
          Effect.provideService(features.answer(server, method, params), Asking, server),
        heard: (server, message) => only(server)?.log(message)
      })
    )
  ).pipe(Layer.provide(inner))
}
