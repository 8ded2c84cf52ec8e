import { assert, describe, it } from "@effect/vitest"
import {
  clip,
  formatBytes,
  renderContent,
  renderFailures,
  renderMessages,
  renderPrompts,
  renderResources,
  fitting,
  renderStatus,
  renderTemplates,
  renderTools,
  table
} from "../../../src/schemas/content/Rendering.ts"
import type { ServerStatus } from "../../../src/schemas/connection/ServerState.ts"

const ready: ServerStatus = {
  state: "Ready",
  transport: "stdio",
  protocolVersion: "2025-11-25",
  tools: 12,
  resources: 3,
  prompts: 0,
  pid: 7,
  connectMs: 81.6,
  restarts: 0,
  lastError: null
}

const failed: ServerStatus = {
  ...ready,
  state: "Failed",
  protocolVersion: null,
  tools: 0,
  resources: 0,
  pid: null,
  connectMs: null,
  lastError: "MCP server 'db': cannot start 'nope': ENOENT"
}

describe("Rendering", () => {
  it("aligns columns without trailing blanks", () => {
    assert.strictEqual(
      table([
        ["A", "LONG"],
        ["longer", "x"],
        ["é", ""]
      ]),
      "A       LONG\nlonger  x\né"
    )
  })

  it("shows a server on one line, with a dash for what is not known", () => {
    assert.deepStrictEqual(renderStatus({ fs: ready, db: failed }).split("\n"), [
      "SERVER  TRANSPORT  PROTOCOL    STATE   TOOLS  RESOURCES  CONNECT",
      "fs      stdio      2025-11-25  Ready   12     3          82 ms",
      "db      stdio      -           Failed  0      0          -"
    ])
  })

  it("leaves out the least important columns of servers to fit the terminal", () => {
    const kept = { ...ready, withheld: 2, denied: 1, restarts: 3 }
    const shown = renderStatus({ "a-server-with-a-name": kept, db: failed }, { columns: 80 }).split("\n")
    assert.deepStrictEqual(
      shown,
      [
        "SERVER                TRANSPORT  STATE   TOOLS  RESOURCES  WITHHELD  DENIED  RESTARTS",
        "a-server-with-a-name  stdio      Ready   12     3          2         1       3",
        "db                    stdio      Failed  0      0          0         0       0"
      ].map((line) => line.replace(/(.{22}).{11}/, "$1"))
    )
    assert.isTrue(shown.every((line) => line.length <= 80))
  })

  it("colours states on request, and columns stay aligned", () => {
    const plain = renderStatus({ fs: ready, db: failed })
    const coloured = renderStatus({ fs: ready, db: failed }, { colour: true })
    assert.include(coloured, "\u001b[32mReady\u001b[0m ")
    assert.include(coloured, "\u001b[31mFailed\u001b[0m")
    assert.strictEqual(coloured.replace(/\u001b\[\d+m/g, ""), plain)
    assert.notInclude(plain, "\u001b")
  })

  it("shows restarts once there was one", () => {
    assert.deepStrictEqual(renderStatus({ fs: { ...ready, restarts: 2 }, db: failed }).split("\n"), [
      "SERVER  TRANSPORT  PROTOCOL    STATE   TOOLS  RESOURCES  CONNECT  RESTARTS",
      "fs      stdio      2025-11-25  Ready   12     3          82 ms    2",
      "db      stdio      -           Failed  0      0          -        0"
    ])
  })

  it("shows withheld and denied tools once there are some", () => {
    const kept = { ...ready, withheld: 2, denied: 0 }
    assert.deepStrictEqual(renderStatus({ fs: kept, db: failed }).split("\n"), [
      "SERVER  TRANSPORT  PROTOCOL    STATE   TOOLS  RESOURCES  CONNECT  WITHHELD",
      "fs      stdio      2025-11-25  Ready   12     3          82 ms    2",
      "db      stdio      -           Failed  0      0          -        0"
    ])
    assert.deepStrictEqual(renderStatus({ fs: { ...kept, denied: 3, restarts: 1 } }).split("\n"), [
      "SERVER  TRANSPORT  PROTOCOL    STATE  TOOLS  RESOURCES  CONNECT  WITHHELD  DENIED  RESTARTS",
      "fs      stdio      2025-11-25  Ready  12     3          82 ms    2         3       1"
    ])
  })

  it("tells when a paused server may be called again, or why a server is down", () => {
    const refused = { ...ready, circuit: { retryInMs: 11_200 } }
    assert.deepStrictEqual(renderFailures({ fs: refused, db: { ...failed, circuit: { retryInMs: 1 } } }), [
      "fs: its calls failed several times in a row, so it is left alone; it may be called again in 12 s",
      "db: cannot start 'nope': ENOENT"
    ])
    assert.deepStrictEqual(renderFailures({ fs: { ...ready, circuit: { retryInMs: 0 } } }), [
      "fs: its calls failed several times in a row; the next call tries whether it is back"
    ])
  })

  it("tells when a server is tried again", () => {
    const waits = { ...failed, state: "Backoff" as const }
    const asks = { ...waits, lastError: "connection refused; is it running?" }
    assert.deepStrictEqual(renderFailures({ a: { ...asks, retryInMs: 1_000 } }), [
      "a: connection refused; is it running? It is tried again in 1 s"
    ])
    assert.deepStrictEqual(renderFailures({ a: { ...waits, retryInMs: 2_100 }, b: { ...waits, retryInMs: 0 } }), [
      "a: MCP server 'db': cannot start 'nope': ENOENT; it is tried again in 3 s",
      "b: MCP server 'db': cannot start 'nope': ENOENT; it is being tried again"
    ])
  })

  it("says so when there are no servers", () => {
    assert.strictEqual(renderStatus({}), "No MCP servers are configured.")
  })

  it("shows the reasons of servers that are down, and not past errors of ready ones", () => {
    assert.deepStrictEqual(renderFailures({ db: failed, fs: { ...ready, lastError: "exited" } }), [
      "db: cannot start 'nope': ENOENT"
    ])
  })

  it("shows an image as its type and decoded size", () => {
    const data = Buffer.alloc(12 * 1024).toString("base64")
    assert.strictEqual(
      renderContent([
        { type: "text", text: "two\nlines" },
        { type: "image", data, mimeType: "image/png" }
      ]),
      "two\nlines\n[image/png, 12 KB]"
    )
  })

  it("shows sizes in a suitable unit", () => {
    assert.deepStrictEqual([5, 2048, 3 * 1024 * 1024].map(formatBytes), ["5 B", "2 KB", "3.0 MB"])
  })

  it("cuts what is widest where leaving out columns does not suffice, and what must stay whole last", () => {
    const rows = [
      ["A", "B", "N"],
      ["a".repeat(30), "b".repeat(20), "1"]
    ]
    assert.deepStrictEqual(fitting(rows, 26, ["N"])[1], [`${"a".repeat(11)}…`, `${"b".repeat(11)}…`])
    assert.deepStrictEqual(fitting(rows, 40, [], ["A"])[1], ["a".repeat(30), "bbbb…", "1"])
    assert.deepStrictEqual(fitting(rows, 20, [], ["A"])[1], [`${"a".repeat(10)}…`, "bbb…", "1"])
    assert.strictEqual(fitting(rows, undefined, ["N"]), rows)
  })

  it("cuts descriptions to one line and the remaining width", () => {
    const tool = {
      name: "mcp_fs_read",
      label: "Read",
      description: `First line.\nSecond ${"x".repeat(200)}`,
      parameters: { type: "object" },
      server: "fs",
      tool: "read"
    }
    const lines = renderTools([tool], 60).split("\n")
    assert.strictEqual(lines.length, 2)
    assert.isAtMost(lines[1]!.length, 60)
    assert.match(lines[1]!, /First line\. Second x+…$/)
    assert.strictEqual(renderTools([], 80), "No tools.")
    const marked = { ...tool, description: "[MCP server: fs] Reads" }
    assert.strictEqual(renderTools([marked], 80).split("\n")[1], "mcp_fs_read  fs      Reads")
  })

  it("puts a description below a name that leaves no space beside it", () => {
    const tool = {
      name: `mcp_${"n".repeat(60)}`,
      label: "Read",
      description: "Reads one file, or several files, from the workspace of the server.",
      parameters: { type: "object" },
      server: "fs",
      tool: "read"
    }
    const [, first, second] = renderTools([tool], 80).split("\n").slice(1)
    assert.strictEqual(first, `${tool.name}  fs`)
    assert.strictEqual(second, `    ${tool.description}`)
  })

  const resource = {
    server: "fs",
    uri: "file:///a.txt",
    name: "a.txt",
    title: undefined,
    description: "",
    mimeType: undefined,
    size: undefined
  }

  it("shows a resource on one line with its name or title and description", () => {
    const titled = { ...resource, title: "The A", description: "First\nsecond", mimeType: "text/plain" }
    assert.deepStrictEqual(renderResources([resource, titled], 80).split("\n"), [
      "URI            SERVER  TYPE        DESCRIPTION",
      "file:///a.txt  fs      -           a.txt",
      "file:///a.txt  fs      text/plain  The A: First second"
    ])
    const template = { ...titled, uriTemplate: "file:///{path}" }
    assert.strictEqual(
      renderTemplates([template], 60).split("\n")[1],
      "file:///{path}  fs      text/plain  The A: First second"
    )
    assert.deepStrictEqual(
      [renderResources([], 80), renderTemplates([], 80)],
      ["No resources.", "No resource templates."]
    )
  })

  it("replaces control characters in a URI, and cuts it", () => {
    const uri = `x:\u001b[2J\n\u202e\u200b${"y".repeat(9000)}`
    const line = renderResources([{ ...resource, uri }], 80)
      .split("\n")
      .find((each) => each.startsWith("x:"))
    assert.match(line!, /^x:\ufffd\[2J\ufffd\ufffd\ufffdy+… +fs/)
    assert.isBelow(line!.length, 600)
  })

  it("shows a prompt on one line, with optional arguments in brackets", () => {
    const prompt = {
      name: "mcp_fs_review",
      title: "Review",
      description: "",
      arguments: [
        { name: "path", description: "", required: true },
        { name: "depth", description: "", required: false }
      ],
      server: "fs",
      prompt: "review"
    }
    assert.deepStrictEqual(
      renderPrompts([prompt, { ...prompt, description: "Reads", arguments: [] }], 80).split("\n"),
      [
        "PROMPT         SERVER  ARGUMENTS     DESCRIPTION",
        "mcp_fs_review  fs      path [depth]  Review",
        "mcp_fs_review  fs      -             Reads"
      ]
    )
    assert.strictEqual(renderPrompts([], 80), "No prompts.")
  })

  it("separates the messages of a prompt by an empty line", () => {
    const message = (text: string) => ({ content: [{ type: "text" as const, text }] })
    assert.strictEqual(renderMessages([message("a"), message("b")]), "a\n\nb")
  })

  it("clips between characters", () => {
    assert.strictEqual(clip("😀😀😀", 2), "😀…")
  })
})
