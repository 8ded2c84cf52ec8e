import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { QueuedRecord } from "../../../../src/services/call/AuditFeed.ts"
import { makeFeed } from "../../../../src/layers/call/AuditLog/feed.ts"
import { parseAuditLine } from "../../../../src/schemas/call/AuditRecord.ts"

const call: QueuedRecord = {
  at: 0,
  kind: "call",
  agent: "main",
  server: "fs",
  tool: "read\u0007",
  shape: "{}",
  durationMs: 1,
  outcome: "ok",
  resultChars: 2,
  findings: []
}
const approval: QueuedRecord = {
  at: 0,
  kind: "approval",
  agent: "main",
  server: "fs",
  tool: "t",
  definition: undefined,
  answer: "asked",
  rule: "r"
}

const clean = (text: string) => text.replaceAll("\u0007", "")

describe("the feed of the audit log", () => {
  it.effect("passes calls on only while it has a listener", () =>
    Effect.gen(function* () {
      const { isHeard, offer, service } = makeFeed(clean)
      const heard: Array<number> = []
      const scope = yield* Scope.make()
      assert.isFalse(isHeard())
      yield* Scope.provide(
        service.onCall(({ durationMs }) => void heard.push(durationMs)),
        scope
      )
      assert.isTrue(isHeard())
      offer(call)
      offer(approval)
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(isHeard())
      offer(call)
      assert.deepStrictEqual(heard, [1])
    })
  )

  it.effect("gives the lines of calls and approvals, sanitized", () =>
    Effect.gen(function* () {
      const { isHeard, offer, service } = makeFeed(clean)
      const lines = yield* Stream.toQueue(service.lines, { capacity: 8 })
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: isHeard }))
      offer(call)
      offer(approval)
      assert.deepInclude(parseAuditLine(yield* Queue.take(lines)), { kind: "call", tool: "read", outcome: "ok" })
      assert.deepInclude(parseAuditLine(yield* Queue.take(lines)), { kind: "approval", answer: "asked" })
    }).pipe(Effect.scoped)
  )
})
