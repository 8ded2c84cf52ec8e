import { assert, describe, it } from "@effect/vitest"
import { readOptions } from "../../../../bench/hostile/options.ts"
import { asJson, asMarkdown, escaped, legend } from "../../../../bench/hostile/report.ts"
import { between } from "../../../../bench/lib/page.ts"
import { countsOf, shortcomings, shownCell, type Cell, type Report, type Row } from "../../../../bench/hostile/table.ts"

const cell = (more: Partial<Cell> = {}): Cell => ({
  word: "ok",
  detail: "",
  honest: true,
  ms: 100,
  peakMiB: 90,
  overIdleMiB: 1,
  stallMs: 5,
  besideMs: undefined,
  ...more
})

const row = (cells: Row["cells"], more: Partial<Row> = {}): Row => ({
  class: "RPC",
  title: "wrong-ids",
  about: "forges answers",
  id: ["RPC-01"],
  transport: "stdio",
  best: ["ok"],
  cells,
  ...more
})

const wrong = cell({ word: "wrong", detail: "took a forged answer", honest: false })

describe("the counts", () => {
  it("say how often each client came to each word, and how often that was as good as it gets", () => {
    const rows = [row({ "sdk-v1": wrong, "mcp-live": cell() }), row({ "sdk-v1": cell(), "mcp-live": cell() })]
    const counts = Object.fromEntries(countsOf(rows, ["sdk-v1", "mcp-live"]))
    assert.deepStrictEqual(counts["as good as it gets"], [1, 2])
    assert.deepStrictEqual(counts["wrong"], [1, 0])
    assert.deepStrictEqual(counts["ok"], [1, 2])
    assert.deepStrictEqual(counts["hang"], [0, 0])
  })
})

describe("where a client falls short", () => {
  it("is a row with less than the best possible outcome, whatever the others did", () => {
    const [found] = shortcomings([row({ "sdk-v1": wrong, "mcp-live": wrong })], "mcp-live")
    assert.deepStrictEqual(found?.[1], ["wrong (took a forged answer)"])
  })

  it("is where another one that did as well was much faster, much smaller or let others work", () => {
    const reasonsOf = (ours: Partial<Cell>, theirs: Partial<Cell> = {}) =>
      shortcomings([row({ "sdk-v2": cell(theirs), "mcp-live": cell(ours) })], "mcp-live").flatMap(
        ([, reasons]) => reasons
      )
    assert.deepStrictEqual(reasonsOf({ ms: 5_000 }), ["takes 5.0 s instead of 100 ms"])
    assert.deepStrictEqual(reasonsOf({ overIdleMiB: 200 }), ["takes 200 MiB instead of 1"])
    assert.deepStrictEqual(reasonsOf({ stallMs: 900 }), ["blocks the event loop for 900 ms instead of 5.0 ms"])
    assert.deepStrictEqual(reasonsOf({ ms: 300, overIdleMiB: 20, stallMs: 100 }), [])
    assert.deepStrictEqual(reasonsOf({ ms: 5_000 }, { honest: false, word: "wrong" }), [])
  })
})

describe("a cell", () => {
  it("begins with its word, in capitals where better is possible", () => {
    assert.deepStrictEqual(shownCell(cell()), ["ok", "100 ms, +1 MiB"])
    assert.deepStrictEqual(shownCell({ ...wrong, overIdleMiB: -3 }), [
      "WRONG",
      "100 ms, -3 MiB",
      "took a forged answer"
    ])
    assert.deepStrictEqual(shownCell(undefined), ["–"])
  })

  it("tells what others in the process noticed", () => {
    const [, figures] = shownCell(cell({ stallMs: 1_234, besideMs: 56 }))
    assert.strictEqual(figures, "100 ms, +1 MiB, loop blocked 1.2 s, beside it 56 ms")
  })
})

describe("the page", () => {
  const report: Report = {
    where: {
      date: "2026-01-01",
      cpu: "a processor",
      cores: 2,
      memoryGiB: 4,
      platform: "linux x64",
      node: "v24",
      load: 0.1,
      packages: { "@modelcontextprotocol/sdk": "1.2.3", "@modelcontextprotocol/client": "4.5.6" }
    },
    clients: ["sdk-v1", "mcp-live"],
    minutes: 9.6,
    timeoutMs: 4_000,
    deadlineMs: 20_000,
    leftAfterMs: 6_000,
    idle: [{ transport: "stdio", peakMiB: { "sdk-v1": 100, "mcp-live": 160 } }],
    rows: [row({ "sdk-v1": wrong, "mcp-live": cell() })]
  }

  it("names machine, versions and deadlines, and has a row for each trial", () => {
    const page = asMarkdown(report)
    for (const part of ["2026-01-01", "v24", "sdk 1.2.3", "client 4.5.6", "4 s", "20 s", "in 10 minutes"]) {
      assert.include(page, part)
    }
    assert.include(
      page,
      "| **wrong-ids**<br>forges answers | stdio | ok | **WRONG**<br>100 ms, +1 MiB<br>took a forged answer | ok<br>100 ms, +1 MiB |"
    )
    assert.include(page, "| stdio | 100 | 160 |")
  })

  it("names the rows in which mcp-live falls short, or says that there are none", () => {
    assert.include(asMarkdown(report), "In no row of this run.")
    const short = { ...report, rows: [row({ "sdk-v1": cell(), "mcp-live": wrong })] }
    assert.include(asMarkdown(short), "- wrong-ids, stdio: wrong (took a forged answer)")
  })

  it("shows what a server wrote as text", () => {
    assert.strictEqual(
      escaped("a|b <img> *c* `d` [e](f) \u{1B}[0m\n&lt;"),
      String.raw`a\|b &lt;img> \*c\* \`d\` \[e\](f) ?\[0m?&amp;lt;`
    )
  })

  it("is kept as JSON, whole, with a row a line", () => {
    const { rows, ...rest } = report
    const json = asJson(report)
    assert.deepStrictEqual(JSON.parse(json), JSON.parse(JSON.stringify({ report: rest, rows })))
    assert.include(json.split("\n"), JSON.stringify(rows[0]))
  })

  it("is put between its comments, again and again", () => {
    const page = "before\n<!-- table: made by npm run bench:hostile -->\nold\n<!-- end of table -->\nafter\n"
    const once = between(page, "table", "npm run bench:hostile", "new")
    assert.strictEqual(
      once,
      "before\n<!-- table: made by npm run bench:hostile -->\n\nnew\n\n<!-- end of table -->\nafter\n"
    )
    assert.strictEqual(between(once, "table", "npm run bench:hostile", "new"), once)
    assert.throws(() => between("no markers", "table", "npm run bench:hostile", "new"), /lost its comments/)
  })

  it("explains every word, the best first", () => {
    const lines = legend().split("\n")
    assert.strictEqual(lines.length, 8)
    assert.match(lines[0]!, /^- `ok`/)
    assert.match(lines.at(-1)!, /^- `crash`/)
  })
})

describe("the command line", () => {
  it("takes a glob, clients in their own order, a transport and a file", () => {
    const options = readOptions(["--only", "gzip*", "--client", "mcp-live", "--client", "sdk-v1", "--json", "out.json"])
    assert.deepStrictEqual(options.clients, ["sdk-v1", "mcp-live"])
    assert.isTrue(options.only!.test("gzip-bomb"))
    assert.isFalse(options.only!.test("no-gzip"))
    assert.strictEqual(options.json, "out.json")
    assert.deepStrictEqual(readOptions(["--transport", "http"]).transports, ["http"])
  })

  it("takes everything where nothing is chosen, and the dots of a glob as dots", () => {
    const { clients, help, only, transports } = readOptions([])
    assert.deepStrictEqual([clients.length, transports.length, only, help], [3, 2, undefined, false])
    assert.isFalse(readOptions(["--only", "a.b"]).only!.test("axb"))
  })

  it("refuses what it does not know", () => {
    assert.throws(() => readOptions(["--client", "netscape"]), /no client 'netscape'/)
    assert.throws(() => readOptions(["--transport", "pigeon"]), /no transport 'pigeon'/)
    assert.throws(() => readOptions(["--fast"]))
  })
})
