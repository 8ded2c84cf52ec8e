/**
 * What is to be written waits in a queue with an end; a fiber gathers it for a moment, or until it is much, and writes
 * it in pieces. Nobody waits for it. When files cannot be written it is said once, and tried again; what does not fit
 * meanwhile is counted, in the log and in the file. The first that came are kept: a flood afterwards cannot push out what
 * began it.
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
} from "../../../schemas/defaults/Audit.ts"
import type { AuditFiles } from "./auditFiles.ts"
import type { Waiting } from "./auditLines.ts"

export interface WriterParts {
  /** How messages call the place. */
  readonly place: string
  readonly files: AuditFiles
  readonly format: (waiting: ReadonlyArray<Waiting>) => ReadonlyArray<string>
}

export interface Writer {
  /** Takes no time. */
  readonly offer: (waiting: Waiting) => void
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : error instanceof Error
      ? error.message
      : "unknown reason"

export const makeWriter = Effect.fnUntraced(function* ({
  files,
  format,
  place
}: WriterParts): Effect.fn.Return<Writer, never, Scope.Scope> {
  const something = Latch.makeUnsafe(false)
  /** To be written before the moment is over, while there is room for what comes meanwhile. */
  const enough = Latch.makeUnsafe(false)
  const queue: Array<Waiting> = []
  let dropped = { count: 0, since: 0, until: 0 }
  let [failing, closed] = [false, false]

  const offer = (waiting: Waiting): void => {
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
    queue.push({ kind: "dropped", at: until, count, since })
    return Effect.logWarning(`${count} records of the audit log were dropped: they came faster than they were written`)
  })

  const tellRecovered = Effect.suspend(() => {
    if (!failing) return Effect.void
    failing = false
    return Effect.logInfo(`the audit log is written again: ${place}`)
  })

  /** Stays in the queue until it is written: what was begun is known to be done, or not. */
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

  /** What comes while it is written is gathered again: else busy servers would make pieces of a few records. */
  const writeGathered = Effect.gen(function* () {
    for (let left = queue.length; left > 0;) left -= yield* writePiece
    if (queue.length === 0) something.closeUnsafe()
    if (queue.length < AUDIT_GATHER_MAX) enough.closeUnsafe()
  })

  const tellFailure = Effect.fnUntraced(function* (reason: string) {
    if (failing) return
    failing = true
    yield* Effect.logWarning(
      `the audit log cannot be written to ${place} (${reason}); calls go on, and it is tried again every ${AUDIT_RETRY_MS / 1_000} s`
    )
  })

  const turn = something.await.pipe(
    Effect.andThen(Effect.timeoutOption(enough.await, AUDIT_GATHER_MS)),
    Effect.andThen(writeGathered),
    Effect.catch((reason) => Effect.andThen(tellFailure(reason), Effect.sleep(AUDIT_RETRY_MS)))
  )

  const close = Effect.fnUntraced(function* (writer: Fiber.Fiber<never>) {
    const rest = yield* Effect.forkDetach(
      Effect.andThen(Fiber.interrupt(writer), writeAll.pipe(Effect.catch(tellFailure)))
    )
    yield* Effect.interruptible(Effect.timeoutOption(Fiber.await(rest), AUDIT_CLOSE_MS))
    closed = true
    const lost = queue.length + dropped.count
    if (lost > 0) yield* Effect.logWarning(`${lost} records of the audit log were not written`)
  })

  // Not the Scope's own fiber: that would be waited for without end, and a disk may hang.
  yield* Effect.acquireRelease(Effect.forkDetach(Effect.forever(turn)), close)

  return { offer }
})
