import { assert, describe, it } from "@effect/vitest"
import { cpuBetween, renderTop, type Look } from "../../../../src/programs/cli/top/rendering.ts"
import { NO_CALLS } from "../../../../src/schemas/control/Figures.ts"
import type { ServerStatus } from "../../../../src/schemas/connection/ServerState.ts"

const status: ServerStatus = {
  state: "Ready",
  transport: "stdio",
  protocolVersion: "2025-11-25",
  tools: 1,
  resources: 0,
  prompts: 0,
  pid: 7,
  connectMs: 1,
  restarts: 2,
  lastError: null,
  inFlight: 3
}

const look = (at: number, cpuMs: number, pid = 7): Look => ({
  at,
  own: [],
  figures: {
    fs: {
      status: { ...status, pid },
      calls: {
        ...NO_CALLS,
        calls: 12_345,
        errors: 1,
        callsPerMinute: 4,
        p50Ms: 1.6,
        p99Ms: 80,
        resultTokens: 2_500_000
      },
      usage: { processes: 2, rssBytes: 50 * 1024 * 1024, cpuMs }
    }
  }
})

describe("the table of top", () => {
  it("has a row for each server, with what it did between two looks", () => {
    const [heading, row] = renderTop(look(0, 0), look(2_000, 500), Infinity).split("\n")
    assert.match(heading!, /^SERVER {2}STATE {2}NOW {2}CALLS\/MIN {2}P50 +P99 +CALLS {2}ERRORS/)
    assert.match(row!, /^fs +Ready +3 +4 +2 ms +80 ms +12k +1 +2 +25% +50\.0 MB +0 +2\.5M$/)
  })

  it("does not take the time of one process for that of another, or what it does not know", () => {
    assert.deepStrictEqual(cpuBetween(undefined, look(2_000, 500)), {})
    assert.deepStrictEqual(cpuBetween(look(0, 9_000, 6), look(2_000, 500, 7)), {})
    assert.deepStrictEqual(cpuBetween(look(2_000, 500), look(2_000, 500)), { fs: 0 })
  })

  it("says on a narrow terminal whose a server is, and what it waits for", () => {
    const whose = "ada.lovelace@example.com #00e594"
    const waiting: ServerStatus = { ...status, state: "Failed", waits: "login" }
    const own = [{ server: "tickets", whose, status: waiting }]
    const text = renderTop(undefined, { ...look(0, 0), own }, 80)
    assert.include(text, `tickets (${whose})`)
    assert.include(text, "waits for login")
    for (const line of text.split("\n")) assert.isAtMost(line.length, 80)
    const long = "ada.countess.of.lovelace@example.com #00e594"
    const others = [{ server: "tickets", whose: long, status: waiting }]
    assert.include(renderTop(undefined, { ...look(0, 0), own: others }, 80), `tickets (${long})`)
  })

  it("has a row for what one client has alone, whose calls are in the row of the server", () => {
    const usage = (cpuMs: number) => ({ processes: 1, rssBytes: 1024 * 1024, cpuMs })
    const own = (cpuMs: number) => [
      { server: "fs", whose: "client ada", status: { ...status, pid: 8 }, usage: usage(cpuMs) }
    ]
    const [before, after] = [0, 1_000].map((cpuMs) => ({ ...look(cpuMs, cpuMs), own: own(cpuMs) }))
    assert.deepStrictEqual(cpuBetween(before, after!), { fs: 100, "fs (client ada)": 100 })
    const row = renderTop(before, after!, Infinity).split("\n")[2]!
    assert.match(row, /^fs \(client ada\) +Ready +3 +- +- +- +- +- +2 +100% +1\.0 MB +- +-$/)
  })

  it("drops what matters least on a narrow terminal", () => {
    const narrow = renderTop(undefined, look(0, 0), 60)
    for (const line of narrow.split("\n")) assert.isAtMost(line.length, 60)
    assert.match(narrow, /^SERVER {2}STATE {2}NOW {2}CALLS\/MIN/)
  })
})
