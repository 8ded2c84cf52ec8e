/**
 * Writes records in the background. They wait in a bounded queue; a fiber collects them for a short time, or until there are
 * many, and writes them in chunks. If writing fails, this is logged once and tried again; records that no longer fit are
 * counted, in the log and in the file. The oldest are kept, so that a flood cannot push out the records of what caused it.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import {
  AUDIT_BATCH_MAX,
  AUDIT_CLOSE_MS,
  AUDIT_GATHER_MAX,
  AUDIT_GATHER_MS,
  AUDIT_QUEUED_MAX,
  AUDIT_RETRY_MS
} from "../schemas/defaults/Audit.ts"
import { again } from "./rounds.ts"
import type { LineFiles } from "./lineFiles.ts"

/** A record that waits to be written, with the time at which it was made. */
interface Timed {
  readonly at: number
}

export interface WriterParts<A extends Timed> {
  /** What is written, in messages: "the audit log". */
  readonly what: string
  /** The name of the place in messages. */
  readonly place: string
  readonly files: LineFiles
  readonly format: (waiting: ReadonlyArray<A>) => ReadonlyArray<string>
  /** The record that so many are missing, which came from `since` to `until`. */
  readonly gap: (count: number, since: number, until: number) => A
}

export interface Writer<A> {
  /** Returns immediately. */
  readonly offer: (waiting: A) => void
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : error instanceof Error
      ? error.message
      : "unknown reason"

export const makeWriter = Effect.fnUntraced(function* <A extends Timed>({
  files,
  format,
  gap,
  place,
  what
}: WriterParts<A>): Effect.fn.Return<Writer<A>, never, Scope.Scope> {
  const something = Latch.makeUnsafe(false)
  /** Opened to write early, while there is still room for new records. */
  const enough = Latch.makeUnsafe(false)
  const queue: Array<A> = []
  let dropped = { count: 0, since: 0, until: 0 }
  let [failing, closed] = [false, false]

  const offer = (waiting: A): void => {
    if (closed) return
    if (queue.length >= AUDIT_QUEUED_MAX) {
      dropped = {
        count: dropped.count + 1,
        since: dropped.count === 0 ? waiting.at : dropped.since,
        until: waiting.at
      }
      return
    }
    queue.push(waiting)
    if (queue.length === 1) something.openUnsafe()
    if (queue.length === AUDIT_GATHER_MAX) enough.openUnsafe()
  }

  /** There is room again. */
  const tellDropped = Effect.suspend(() => {
    if (dropped.count === 0) return Effect.void
    const { count, since, until } = dropped
    dropped = { count: 0, since: 0, until: 0 }
    queue.push(gap(count, since, until))
    return Effect.logWarning(`${count} records of ${what} were dropped: they came faster than they were written`)
  })

  const tellRecovered = Effect.suspend(() => {
    if (!failing) return Effect.void
    failing = false
    return Effect.logInfo(`${what} is written again: ${place}`)
  })

  /** Records stay in the queue until they are written, so that it is known whether a write has succeeded. */
  const writePiece = Effect.tryPromise({
    try: () => files.append(format(queue.slice(0, AUDIT_BATCH_MAX))),
    catch: reasonOf
  }).pipe(
    Effect.tap((written) => Effect.sync(() => void queue.splice(0, written))),
    Effect.tap(tellRecovered),
    Effect.tap(tellDropped),
    Effect.uninterruptible
  )

  const writeAll = Effect.gen(function* () {
    while (queue.length > 0) yield* writePiece
  })

  /** Records that arrive during a write are collected again: otherwise busy servers would cause many small chunks. */
  const writeGathered = Effect.gen(function* () {
    for (let left = queue.length; left > 0;) left -= yield* writePiece
    if (queue.length === 0) something.closeUnsafe()
    if (queue.length < AUDIT_GATHER_MAX) enough.closeUnsafe()
  })

  const tellFailure = Effect.fnUntraced(function* (reason: string) {
    if (failing) return
    failing = true
    yield* Effect.logWarning(
      `${what} cannot be written to ${place} (${reason}); calls continue, and writing is tried again every ${AUDIT_RETRY_MS / 1_000} s`
    )
  })

  const gathered = Effect.andThen(something.await, Effect.timeoutOption(enough.await, AUDIT_GATHER_MS))
  const written = writeGathered.pipe(
    Effect.catch((reason) => Effect.andThen(tellFailure(reason), Effect.sleep(AUDIT_RETRY_MS)))
  )

  const close = Effect.fnUntraced(function* (writer: Fiber.Fiber<never>) {
    const rest = yield* Effect.forkDetach(
      Effect.andThen(Fiber.interrupt(writer), writeAll.pipe(Effect.catch(tellFailure)))
    )
    yield* Effect.timeoutOption(Fiber.await(rest), AUDIT_CLOSE_MS)
    closed = true
    const lost = queue.length + dropped.count
    if (lost > 0) yield* Effect.logWarning(`${lost} records of ${what} were not written`)
  })

  // Not a fiber of the Scope, which would wait for it without limit: a disk may hang.
  yield* Effect.acquireRelease(Effect.forkDetach(again(`the writing of ${what}`, gathered, written)), close)

  return { offer }
})
