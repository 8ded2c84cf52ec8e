import { assert, describe, it } from "@effect/vitest"
import { signal } from "@preact/signals"
import { afterEach, beforeEach, vi } from "vitest"
import type { Link } from "../../../../../../src/programs/ui/page/store/Gateway.ts"
import type { LogFilter } from "../../../../../../src/programs/ui/page/views/Server/logLines.ts"
import { KEPT_LINES_MAX, makeLogModel } from "../../../../../../src/programs/ui/page/views/Server/logModel.ts"
import type { ServerLogLine } from "../../../../../../src/schemas/connection/ServerLogLine.ts"
import { fakeGateway } from "../../fakeGateway.ts"

const line = (text: string, over: Partial<ServerLogLine> = {}): ServerLogLine => ({
  v: 1,
  time: "2026-01-01T00:00:00.000Z",
  server: "files",
  source: "stderr",
  level: "info",
  text,
  gateway: 1,
  ...over
})

/** Lines 1 to 5 are in the files, two on each page. */
const start = async (filter: Partial<LogFilter> = {}) => {
  const gateway = fakeGateway({
    PastLogs: ({ before = "5" }) => {
      const end = Number(before)
      const lines = [end - 1, end].filter((each) => each > 0).map((each) => line(`old ${each}`))
      return { lines: filter.text === undefined ? lines : [], ...(end > 2 ? { cursor: String(end - 2) } : {}) }
    }
  })
  const link = signal<Link>({ state: "open" })
  const model = makeLogModel({ gateway, link }, { server: "files", level: "debug", text: "", ...filter })
  const settle = () => vi.advanceTimersByTimeAsync(200)
  await settle()
  return { gateway, link, model, settle, texts: () => model.state.value.lines.map((each) => each.line.text) }
}

describe("the lines of a server", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("are those of the files, and behind them those that come", async () => {
    const { gateway, settle, texts } = await start()
    gateway.tell("Logs", line("new 1"))
    gateway.tell("Logs", line("new 2"))
    await settle()
    assert.deepStrictEqual(texts(), ["old 1", "old 2", "old 3", "old 4", "old 5", "new 1", "new 2"])
  })

  it("pass the filter, also those that come", async () => {
    const { gateway, settle, texts } = await start({ level: "warning", text: "disk" })
    gateway.tell("Logs", line("disk full", { level: "error" }))
    gateway.tell("Logs", line("disk is fine"))
    await settle()
    assert.deepStrictEqual(texts(), ["disk full"])
    assert.deepInclude(gateway.asked[0]?.payload, { server: "files", level: "warning", text: "disk" })
  })

  it("are read anew when the connection is there again, none of them twice", async () => {
    const { gateway, link, settle, texts } = await start()
    link.value = { state: "lost", retryAt: 0 }
    assert.isEmpty(gateway.followed)
    link.value = { state: "open" }
    gateway.tell("Logs", line("old 5"))
    await settle()
    assert.deepStrictEqual(texts(), ["old 1", "old 2", "old 3", "old 4", "old 5"])
  })

  it("are bounded: the oldest go, and can be asked for again", async () => {
    const { gateway, model, settle } = await start()
    for (let i = 0; i < KEPT_LINES_MAX; i++) gateway.tell("Logs", line(`new ${i}`))
    await settle()
    assert.lengthOf(model.state.value.lines, KEPT_LINES_MAX)
    assert.isTrue(model.state.value.hasOlder)
  })

  it("are asked for page by page, the older ones before those that are there", async () => {
    const gateway = fakeGateway({
      PastLogs: ({ before = "500", limit }) => {
        const from = Math.max(0, Number(before) - limit)
        const lines = Array.from({ length: Number(before) - from }, (_, i) => line(`old ${from + i}`))
        return { lines, ...(from > 0 ? { cursor: String(from) } : {}) }
      }
    })
    const link = signal<Link>({ state: "open" })
    const model = makeLogModel({ gateway, link }, { server: "files", level: "debug", text: "" })
    await vi.advanceTimersByTimeAsync(200)
    const shown = () => model.state.value.lines.map((each) => each.line.text)
    assert.deepStrictEqual([shown()[0], shown().at(-1), model.state.value.hasOlder], ["old 300", "old 499", true])
    for (let page = 0; page < 2; page++) {
      model.older()
      await vi.advanceTimersByTimeAsync(200)
    }
    assert.deepStrictEqual([shown()[0], shown().length, model.state.value.hasOlder], ["old 0", 500, false])
    model.stop()
  })

  it("are not lost when the filter changes before the files have them", async () => {
    const gateway = fakeGateway({ PastLogs: () => ({ lines: [line("written")] }) })
    const link = signal<Link>({ state: "open" })
    const recent: Array<ServerLogLine> = []
    const filter = { server: "files", level: "debug", text: "" } as const
    const first = makeLogModel({ gateway, link }, filter, recent)
    await vi.advanceTimersByTimeAsync(200)
    for (const text of ["written", "an apple", "a pear"]) gateway.tell("Logs", line(text))
    first.stop()
    const second = makeLogModel({ gateway, link }, { ...filter, text: "apple" }, recent)
    await vi.advanceTimersByTimeAsync(200)
    assert.deepStrictEqual(
      second.state.value.lines.map((each) => each.line.text),
      ["written", "an apple"]
    )
    second.stop()
  })

  it("end with the view", async () => {
    const { gateway, model } = await start()
    model.stop()
    assert.isEmpty(gateway.followed)
  })
})
