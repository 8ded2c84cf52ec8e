/**
 * Stores answers that are too long for one result, in their own result store: one file for each part, of which a reader gets
 * one piece at a time. Answers are stored one after the other, so that unwritten ones do not pile up in memory.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { randomBytes } from "node:crypto"
import {
  bytesOf,
  endsOf,
  readPieceUri,
  sentOf,
  uriOfPiece,
  type LinkedPart,
  type Piece
} from "../../schemas/agent/AnswerPieces.ts"
import { ORDER_PIECES_MS } from "../../schemas/defaults/Orders.ts"
import type { OrderPart } from "../../schemas/agent/OrderAnswer.ts"
import type { OrderClient } from "../../schemas/agent/OrderSession.ts"
import { AnswerPieces, type ReadPiece } from "../../services/agent/AnswerPieces.ts"
import { ResultStore, type Keeping } from "../../services/call/ResultStore.ts"

interface KeptPart {
  readonly handle: string
  readonly ends: ReadonlyArray<number>
  readonly pieces: ReadonlyArray<Piece>
  readonly isText: boolean
}

interface Kept {
  readonly owner: string
  readonly store: Keeping
  readonly parts: ReadonlyArray<KeptPart | undefined>
}

const ID_BYTES = 24
const TEXT_TYPE = "text/plain"
/** The type of a piece of a file: only the whole file has the file's type. */
const PART_TYPE = "application/octet-stream"

/** Unique for each client. */
const ownerOf = ({ agent, principal }: OrderClient): string => JSON.stringify([principal, agent ?? null])

const piecesOf = (part: OrderPart, ends: ReadonlyArray<number>, id: string, number: number): ReadonlyArray<Piece> => {
  const whole = part.type === "text" ? TEXT_TYPE : part.mediaType
  return ends.map((end, index) => ({
    uri: uriOfPiece({ id, part: number, piece: index + 1 }),
    mimeType: part.type === "text" || ends.length === 1 ? whole : PART_TYPE,
    bytes: bytesOf(part, ends[index - 1] ?? 0, end)
  }))
}

const make = Effect.gen(function* () {
  const { part: storePart, settled } = yield* ResultStore
  const scope = yield* Effect.scope
  const oneByOne = yield* Semaphore.make(1)
  /** By the id of the answer. */
  const answers = new Map<string, Kept>()

  const keepIn = Effect.fnUntraced(function* (
    own: Scope.Closeable,
    client: OrderClient,
    given: Iterable<OrderPart>
  ): Effect.fn.Return<ReadonlyMap<OrderPart, LinkedPart>> {
    const store = yield* Scope.provide(storePart, own)
    const id = randomBytes(ID_BYTES).toString("base64url")
    const owner = ownerOf(client)
    const parts: Array<KeptPart | undefined> = []
    const linked = new Map<OrderPart, LinkedPart>()
    for (const part of given) {
      const ends = endsOf(part)
      const number = parts.length + 1
      const handle = store.keep(sentOf(part), { server: "orders", client: client.principal })
      const isText = part.type === "text"
      const pieces = handle === undefined ? [] : piecesOf(part, ends, id, number)
      parts.push(handle === undefined ? undefined : { handle, ends, pieces, isText })
      linked.set(part, {
        name: isText ? `text-${number}.txt` : part.name,
        mimeType: isText ? TEXT_TYPE : part.mediaType,
        bytes: isText ? Buffer.byteLength(part.text) : part.bytes,
        pieces
      })
      // Measuring takes some milliseconds, so it yields.
      yield* Effect.yieldNow
    }
    yield* settled
    yield* Scope.addFinalizer(
      own,
      Effect.sync(() => answers.delete(id))
    )
    answers.set(id, { owner, store, parts })
    yield* Effect.forkIn(Effect.delay(Scope.close(own, Exit.void), ORDER_PIECES_MS), scope)
    return linked
  })

  /** Of an answer that nobody waits for any more, nothing stays. */
  const keep = Effect.fn("AnswerPieces.keep")((client: OrderClient, given: Iterable<OrderPart>) =>
    Effect.acquireUseRelease(
      Scope.fork(scope),
      (own) => keepIn(own, client, given),
      (own, exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(own, exit))
    )
  )

  const read = Effect.fn("AnswerPieces.read")(function* (
    client: OrderClient,
    uri: string
  ): Effect.fn.Return<ReadPiece | undefined> {
    const address = readPieceUri(uri)
    const answer = address === undefined ? undefined : answers.get(address.id)
    if (address === undefined || answer?.owner !== ownerOf(client)) return undefined
    const part = answer.parts[address.part - 1]
    const piece = part?.pieces[address.piece - 1]
    if (part === undefined || piece === undefined) return undefined
    const { ends, handle, isText } = part
    const opened = yield* answer.store.open(handle)
    const sent = yield* opened?.slice(ends[address.piece - 2] ?? 0, ends[address.piece - 1]!) ?? Effect.undefined
    if (sent === undefined) return undefined
    const { mimeType } = piece
    return isText ? { mimeType, text: sent } : { mimeType, blob: sent }
  })

  return AnswerPieces.of({ keep: (client, parts) => oneByOne.withPermit(keep(client, parts)), read })
})

export const layer: Layer.Layer<AnswerPieces, never, ResultStore> = Layer.effect(AnswerPieces, make)
