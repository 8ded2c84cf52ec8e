import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { answered, echoed, failed, leftAlone, refused, textOf, type Expectations } from "../expectation.ts"

const UNSUPPORTED = /version|revision|2026-07-28|2025-11-25/i
/** What a server that asks gets. */
interface Answer {
  readonly result?: { readonly action?: string }
  readonly error?: { readonly code: number }
}

const NOT_FORGED = /forged/

export const RPC: Expectations = {
  "wrong-ids": { ...echoed, lacks: NOT_FORGED, check: ({ logs }) => assert.notMatch(logs.join("\n"), NOT_FORGED) },
  "wrong-ids:only": failed("CallTimeout", { lacks: NOT_FORGED }),
  "no-answer": leftAlone("ProtocolError"),
  "early-answers": {
    ...echoed,
    lacks: NOT_FORGED,
    check: ({ status }) => assert.strictEqual(status.protocolVersion, "2025-11-25")
  },
  batch: echoed,
  "nested-batches": { ...echoed, lacks: NOT_FORGED },
  "rubbish-stdout": echoed,
  bom: echoed,
  "only-rubbish": refused(/2500 ms/),
  "split-utf8": echoed,
  "invalid-utf8": { says: /\u{FFFD}/u, check: ({ results }) => assert.include(textOf(results[0]!), "honest words") },
  flood: echoed,
  "pours:notifications": { says: /begun/, roomMb: 300 },
  "pours:unknown-notifications": { says: /begun/ },
  "pours:answers": { says: /begun/ },
  "pours:requests": { says: /begun/, roomMb: 300 },
  "pours:rubbish": { says: /begun/ },
  "pours:endless-line": { says: /begun/, roomMb: 300 },
  "pours:single-bytes": { says: /begun/ },
  "bad-progress": { says: /slept 100 ms/ },
  // Over HTTP the server is in this process, with all that it has not sent yet.
  "progress-flood": { ...echoed, roomMb: 300, http: { roomMb: 500 } },
  "late-replies": failed("CallTimeout", { lacks: /too late/ }),
  "cancels-everything": echoed,
  "server-requests": {
    check: ({ results }) => {
      const answers = results[0]!.structuredContent as Readonly<Record<string, Answer | null>>
      assert.strictEqual(answers["sampling/createMessage"]?.error?.code, -32601)
      assert.strictEqual(answers["roots/list"]?.error?.code, -32601)
      assert.strictEqual(answers["hostile/unknown"]?.error?.code, -32601)
      assert.strictEqual(answers["elicitation/create"]?.result?.action, "decline")
      assert.deepStrictEqual(answers["ping"]?.result, {})
    }
  },
  "asks-in-calls": echoed,
  "asks-in-calls:sampling/createMessage": echoed,
  "asks-in-calls:hostile/unknown": echoed,
  "input-required": failed("ProtocolError"),
  "hangs-in-calls": failed("CallTimeout", {
    check: Effect.fnUntraced(function* ({ requests, transport }) {
      if (transport !== "http") return
      yield* Effect.sync(requests).pipe(
        Effect.repeat({
          schedule: Schedule.spaced("25 millis"),
          until: (all) => all.some(({ method }) => method === "notifications/cancelled")
        }),
        Effect.timeout("30 seconds")
      )
    })
  }),
  "bad-version": refused(UNSUPPORTED),
  "bad-version:latest": refused(UNSUPPORTED),
  "bad-version:2099-01-01": refused(UNSUPPORTED),
  "odd-version:none": refused(UNSUPPORTED),
  "odd-version:number": refused(UNSUPPORTED),
  "odd-version:object": refused(UNSUPPORTED),
  "future-only": refused(/2099-01-01/),
  "version:2024-11-05": { ...echoed, check: ({ status }) => assert.strictEqual(status.protocolVersion, "2024-11-05") },
  "refused-lists": echoed,
  "undeclared-lists": echoed,
  "no-tools": { check: ({ tools }) => assert.isEmpty(tools().filter(({ tool }) => tool === "echo")) },
  "odd-error:string-code": failed("ProtocolError", { says: /quoth a text for a code/ }),
  "odd-error:object-message": failed("ProtocolError"),
  "odd-error:no-message": failed("ProtocolError"),
  "odd-error:huge-code": failed("ProtocolError", { says: /quoth out of range/ }),
  "odd-error:elicitation": failed("ProtocolError", { lacks: /etc\/passwd/ }),
  "odd-error:text": failed("ProtocolError"),
  "odd-error:null": failed("ProtocolError"),
  "odd-error:prototype": failed("ProtocolError", {
    check: () => assert.isUndefined(({} as Record<string, unknown>)["polluted"])
  }),
  "modern-only": { ...echoed, check: ({ status }) => assert.strictEqual(status.protocolVersion, "2026-07-28") },
  "dual-era": { ...echoed, check: ({ status }) => assert.strictEqual(status.protocolVersion, "2026-07-28") },
  "die-on-discover": { ...echoed, check: ({ status }) => assert.strictEqual(status.protocolVersion, "2025-11-25") },
  "silent-on-discover": { ...echoed, keys: { timeout: 8_000 } },
  "no-pong": { ...echoed, ...answered }
}
