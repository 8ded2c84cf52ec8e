/** Gives the records of the audit log to those who listen in this process. Without a listener, it costs nothing. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { AUDIT_FEED_WAITING_MAX } from "../../../schemas/defaults/Audit.ts"
import type { Label } from "../../../schemas/content/ServerText.ts"
import type { AuditFeed, HeardCall, QueuedRecord } from "../../../services/call/AuditFeed.ts"
import { linesOf } from "./auditLines.ts"

export interface Feed {
  readonly isHeard: () => boolean
  readonly offer: (waiting: QueuedRecord) => void
  readonly service: AuditFeed["Service"]
}

export const makeFeed = (label: Label): Feed => {
  const onCalls = new Set<(call: HeardCall) => void>()
  const readers = new Set<(waiting: QueuedRecord) => void>()

  const listening = <A>(to: Set<A>, listener: A) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => to.add(listener)),
        () => Effect.sync(() => to.delete(listener))
      )
    )

  return {
    isHeard: () => onCalls.size + readers.size > 0,
    offer: (waiting) => {
      for (const read of readers) read(waiting)
      if (waiting.kind === "call") for (const heard of onCalls) heard(waiting)
    },
    service: {
      // An entry of its own for each use, also of the same function.
      onCall: (heard) => listening(onCalls, (call: HeardCall) => heard(call)),
      onRecord: (heard) => listening(readers, (record: QueuedRecord) => heard(record)),
      linesOf: (records) => linesOf(records, label),
      lines: Stream.callback<QueuedRecord>(
        (queue) => listening(readers, (waiting) => void Queue.offerUnsafe(queue, waiting)),
        {
          bufferSize: AUDIT_FEED_WAITING_MAX,
          strategy: "sliding"
        }
      ).pipe(Stream.mapArray((waiting) => linesOf(waiting, label) as [string, ...Array<string>]))
    }
  }
}
