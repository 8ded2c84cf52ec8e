/** Answers that are too long for one result: kept for the client that asked, which reads them piece by piece. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LinkedPart } from "../../schemas/agent/AnswerPieces.ts"
import type { OrderPart } from "../../schemas/agent/OrderAnswer.ts"
import type { OrderClient } from "../../schemas/agent/OrderSession.ts"

/** As in an MCP resource. */
export type ReadPiece =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string }

export class AnswerPieces extends Context.Service<
  AnswerPieces,
  {
    /**
     * Stores these parts of one answer, cut into pieces under URIs that nobody can guess; returns when they are no longer in
     * memory. They are kept for an hour, or until there is no room: then the client that uses most loses its oldest.
     */
    readonly keep: (
      client: OrderClient,
      parts: Iterable<OrderPart>
    ) => Effect.Effect<ReadonlyMap<OrderPart, LinkedPart>>
    /** One piece; `undefined` for another client, for an expired piece and for an unknown URI. */
    readonly read: (client: OrderClient, uri: string) => Effect.Effect<ReadPiece | undefined>
  }
>()("mcp-live/services/AnswerPieces") {}
