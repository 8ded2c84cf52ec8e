import { assert, describe, it } from "@effect/vitest"
import {
  BAGGAGE_MAX_CHARS,
  TRACESTATE_MAX_CHARS,
  TRACESTATE_MAX_MEMBERS
} from "../../../src/schemas/defaults/Telemetry.ts"
import { contextIn, traceHeaders, writeContext } from "../../../src/schemas/telemetry/TraceContext.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"
const PARENT = `00-${TRACE}-${SPAN}-01`

describe("the context of a trace", () => {
  it("is read and written as W3C says", () => {
    const meta = { traceparent: PARENT, tracestate: "rojo=00f067aa0ba902b7,congo=t61", baggage: "userId=alice" }
    const { baggage, place } = contextIn(meta)
    assert.deepStrictEqual(place, { traceId: TRACE, spanId: SPAN, sampled: true, state: meta.tracestate })
    assert.deepStrictEqual(writeContext(place!, baggage), meta)
    assert.strictEqual(writeContext({ ...place!, sampled: false }, undefined).traceparent, `00-${TRACE}-${SPAN}-00`)
  })

  it("of a later version is read as far as this one goes", () => {
    assert.strictEqual(
      contextIn({ traceparent: `cc-${TRACE}-${SPAN}-01-what-the-future-brings` }).place?.traceId,
      TRACE
    )
  })

  for (const [why, traceparent] of [
    ["no text", 5],
    ["empty", ""],
    ["no trace", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["no span", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["in capitals", PARENT.toUpperCase()],
    ["too short", PARENT.slice(1)],
    ["longer than this version is", `${PARENT}-more`],
    ["of the forbidden version", `ff${PARENT.slice(2)}`],
    ["with a line break", `${PARENT}\n`],
    ["far too long", `cc-${TRACE}-${SPAN}-01-${"x".repeat(100_000)}`],
    ["an object", { toString: () => PARENT }]
  ] as const) {
    it(`that is ${why} is ignored, with what belongs to it`, () => {
      assert.isUndefined(contextIn({ traceparent, tracestate: "a=b" }).place)
      assert.isUndefined(traceHeaders({ _meta: { traceparent } }))
    })
  }

  for (const [why, tracestate] of [
    ["too long", `a=${"x".repeat(TRACESTATE_MAX_CHARS)}`],
    ["of too many parts", Array.from({ length: TRACESTATE_MAX_MEMBERS + 1 }, (_, i) => `a${i}=1`).join()],
    ["no header", "a=b\r\nx-evil: 1"]
  ] as const) {
    it(`whose state is ${why} goes on without it`, () => {
      assert.deepStrictEqual(contextIn({ traceparent: PARENT, tracestate }).place, {
        traceId: TRACE,
        spanId: SPAN,
        sampled: true,
        state: undefined
      })
    })
  }

  it("has no baggage that is too long or no header", () => {
    for (const baggage of ["x".repeat(BAGGAGE_MAX_CHARS + 1), "a=b\r\n", "a=\u00e9", 5]) {
      assert.isUndefined(contextIn({ traceparent: PARENT, baggage }).baggage)
    }
  })

  it("of anything that is no object is none", () => {
    for (const meta of [undefined, null, "traceparent", 5, []]) assert.isUndefined(contextIn(meta).place)
  })

  it("is repeated in headers", () => {
    assert.deepStrictEqual(traceHeaders({ _meta: { traceparent: PARENT, tracestate: "a=b", more: 1 } }), {
      traceparent: PARENT,
      tracestate: "a=b"
    })
    assert.isUndefined(traceHeaders(undefined))
  })
})
