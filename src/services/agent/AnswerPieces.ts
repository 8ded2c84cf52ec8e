/** Answers that are too long for one result: kept for the client whose order it was, and read again piece by piece. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LinkedPart } from "../../schemas/agent/AnswerPieces.ts"
import type { OrderPart } from "../../schemas/agent/OrderAnswer.ts"
import type { OrderClient } from "../../schemas/agent/OrderSession.ts"

/** As it stands in a resource. */
export type ReadPiece =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string }

export class AnswerPieces extends Context.Service<
  AnswerPieces,
  {
    /**
     * Keeps these parts of one answer, cut into pieces, under addresses that nobody can guess, and returns when they are out of the
     * memory. They are there for an hour, and for as long as there is room: where there is none, the client with most of them loses its
     * oldest.
     */
    readonly keep: (
      client: OrderClient,
      parts: Iterable<OrderPart>
    ) => Effect.Effect<ReadonlyMap<OrderPart, LinkedPart>>
    /** One piece; `undefined` for another client, when its time is over, and for an address that leads nowhere. */
    readonly read: (client: OrderClient, uri: string) => Effect.Effect<ReadPiece | undefined>
  }
>()("mcp-live/services/AnswerPieces") {}
