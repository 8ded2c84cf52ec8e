import { assert, describe, it } from "@effect/vitest"
import { makeFigures, type EndedCall } from "../../../src/schemas/control/Figures.ts"
import {
  FIGURES_CALLS_MAX,
  FIGURES_SECONDS,
  FIGURES_SERVERS_MAX,
  FIGURES_WINDOW_MS
} from "../../../src/schemas/defaults/Control.ts"

const MINUTE_MS = FIGURES_SECONDS * 1_000

const call = (at: number, durationMs: number, more: Partial<EndedCall> = {}): EndedCall => ({
  at,
  server: "fs",
  ok: true,
  durationMs,
  resultChars: 0,
  findings: 0,
  ...more
})

describe("figures about calls", () => {
  it("count calls, errors, findings and tokens in total, and calls of the last minute", () => {
    const figures = makeFigures()
    figures.add(call(0, 1, { resultChars: 400, findings: 2 }))
    figures.add(call(MINUTE_MS, 2, { ok: false, resultChars: 10 }))
    figures.add(call(MINUTE_MS + 1, 3, { server: "other" }))
    const { fs, other } = figures.at(MINUTE_MS + 1)
    assert.deepInclude(fs, { calls: 2, errors: 1, findings: 2, resultTokens: 103, callsPerMinute: 1 })
    assert.deepInclude(other, { calls: 1, errors: 0, callsPerMinute: 1 })
  })

  it("take durations from the last fifteen minutes only", () => {
    const figures = makeFigures()
    figures.add(call(0, 999_999))
    for (let ms = 1; ms <= 100; ms++) figures.add(call(FIGURES_WINDOW_MS, ms))
    assert.deepInclude(figures.at(FIGURES_WINDOW_MS + 1)["fs"], { p50Ms: 50, p99Ms: 99, calls: 101 })
    assert.deepInclude(figures.at(FIGURES_WINDOW_MS * 3)["fs"], { p50Ms: null, p99Ms: null, callsPerMinute: 0 })
  })

  it("are limited in servers and recorded durations", () => {
    const figures = makeFigures()
    for (let i = 0; i < FIGURES_CALLS_MAX + 10; i++) figures.add(call(0, i))
    assert.deepInclude(figures.at(0)["fs"], { calls: FIGURES_CALLS_MAX + 10, callsPerMinute: FIGURES_CALLS_MAX + 10 })
    assert.strictEqual(figures.at(0)["fs"]!.p50Ms, FIGURES_CALLS_MAX / 2 + 9)
    for (let i = 0; i < FIGURES_SERVERS_MAX; i++) figures.add(call(0, 1, { server: `s${i}` }))
    assert.strictEqual(Object.keys(figures.at(0)).length, FIGURES_SERVERS_MAX)
  })
})
