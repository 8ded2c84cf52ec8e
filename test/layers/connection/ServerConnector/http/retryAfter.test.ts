import { afterAll, afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import {
  HoldOff,
  resendAfter,
  retryAfterMs
} from "../../../../../src/layers/connection/ServerConnector/http/retryAfter.ts"
import { RESEND_PAUSE_MS, RETRY_AFTER_MAX_MS, RETRY_AFTER_WAIT_MS } from "../../../../../src/schemas/defaults/Wire.ts"
import { HttpFailed } from "../../../../../src/schemas/connection/HttpError.ts"
import { ConnectionLost } from "../../../../../src/schemas/connection/RequestError.ts"

// What a whole process shares has seen a clock here that ran ahead: no other test gets that.
afterAll(() => void vi.resetModules())

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0)
const lost = new ConnectionLost({ server: "web", detail: "read ECONNRESET", maybeExecuted: true })
const failed = (status: number | null, after?: number) =>
  new HttpFailed({ server: "web", status, detail: "", ...(after === undefined ? {} : { retryAfterMs: after }) })

describe("Retry-After: the header", () => {
  it("is a number of seconds or a date", () => {
    assert.strictEqual(retryAfterMs("0", NOW), 0)
    assert.strictEqual(retryAfterMs(" 7 ", NOW), 7_000)
    assert.strictEqual(retryAfterMs("Thu, 01 Jan 2026 12:00:30 GMT", NOW), 30_000)
    assert.strictEqual(retryAfterMs("Thursday, 01-Jan-26 12:00:30 GMT", NOW), 30_000)
    assert.strictEqual(retryAfterMs("Thu Jan  1 12:00:30 2026 GMT", NOW), 30_000)
  })

  it("is limited to the time between now and the maximum", () => {
    assert.strictEqual(retryAfterMs("Thu, 01 Jan 2025 12:00:30 GMT", NOW), 0)
    for (const header of ["86400", "9".repeat(500), "Fri, 31 Dec 9999 23:59:59 GMT"]) {
      assert.strictEqual(retryAfterMs(header, NOW), RETRY_AFTER_MAX_MS)
    }
  })

  it("is ignored when it is invalid", () => {
    for (const header of [
      null,
      "",
      "soon",
      "-5",
      "1.5",
      "1e3",
      "0x10",
      "5, 10",
      "Thu, 99 Foo 2026",
      "x".repeat(100_000)
    ]) {
      assert.isUndefined(retryAfterMs(header, NOW), header?.slice(0, 20))
    }
  })
})

describe("Retry-After: repeated requests", () => {
  it("include a call that was not taken, after the time that the server gives", () => {
    assert.strictEqual(resendAfter(failed(429, 3_000), "tools/call"), 3_000)
    assert.strictEqual(resendAfter(failed(429, 0), "tools/call"), 0)
    assert.isUndefined(resendAfter(failed(429), "tools/call"))
    assert.isUndefined(resendAfter(failed(429, RETRY_AFTER_WAIT_MS + 1), "tools/call"))
  })

  it("exclude a call that may have run", () => {
    for (const status of [408, 500, 502, 503, 504, null]) {
      assert.isUndefined(resendAfter(failed(status), "tools/call"))
      assert.isUndefined(resendAfter(failed(status, 1_000), "tools/call"))
    }
    assert.isUndefined(resendAfter(lost, "tools/call"))
  })

  it("include read-only methods after any temporary failure", () => {
    for (const method of ["tools/list", "resources/read", "prompts/get", "ping"]) {
      assert.strictEqual(resendAfter(failed(503), method), RESEND_PAUSE_MS)
      assert.strictEqual(resendAfter(failed(503, 2_000), method), 2_000)
      assert.strictEqual(resendAfter(lost, method), 0)
      for (const status of [400, 404, 405, 501, null]) assert.isUndefined(resendAfter(failed(status), method))
    }
  })

  it("exclude notifications and unknown methods", () => {
    assert.isUndefined(resendAfter(failed(503), undefined))
    assert.isUndefined(resendAfter(failed(503), "constructor"))
  })
})

describe("Retry-After: waiting for a server", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("lasts as long as the longest time that it asked for", () => {
    const holdOff = new HoldOff()
    assert.isBelow(holdOff.leftMs(), 0)
    holdOff.note(failed(429, 5_000))
    holdOff.note(failed(503, 2_000))
    holdOff.note(failed(500))
    vi.advanceTimersByTime(1_000)
    assert.strictEqual(Math.round(holdOff.leftMs()), 4_000)
    vi.advanceTimersByTime(4_000)
    assert.isAtMost(holdOff.leftMs(), 0)
  })

  it("refuses a request that would wait too long, as not sent", () => {
    const holdOff = new HoldOff()
    holdOff.note(failed(503, RETRY_AFTER_WAIT_MS))
    assert.isUndefined(holdOff.refusal("web"))
    holdOff.note(failed(503, RETRY_AFTER_WAIT_MS + 1_000))
    // Not a failure of the server, of which it might have run.
    assert.include(holdOff.refusal("web"), { status: 429, server: "web" })
    vi.advanceTimersByTime(2_000)
    assert.isUndefined(holdOff.refusal("web"))
  })
})
