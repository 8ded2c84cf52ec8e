import { assert, describe, it } from "@effect/vitest"
import { TOOLS } from "../../../src/programs/mcpServer/tools.ts"
import { fromAnswer, fromFailure, fromHistory, fromStatus } from "../../../src/programs/mcpServer/answerResults.ts"
import type { LinkedPart } from "../../../src/schemas/agent/AnswerPieces.ts"
import { ORDER_BEGINNING_MAX_CHARS } from "../../../src/schemas/defaults/Orders.ts"
import { OrderFailed, OrderRefused } from "../../../src/schemas/agent/OrderError.ts"
import { makeAnswer, type OrderPart } from "../../../src/schemas/agent/OrderAnswer.ts"
import { makeSchemaCheck } from "../../../src/layers/call/ToolBridge/schemaCheck.ts"
import { base64, FILES, PDF, PNG, wav } from "../../support/media.ts"

const media = (one: string, example: string) => ({
  type: "object",
  properties: {
    data: { type: "string", description: `Base64-encoded ${one} data` },
    mimeType: { type: "string", description: `MIME type (e.g., '${example}')` },
    filename: { type: "string", description: "Optional filename" }
  },
  required: ["data", "mimeType"]
})

describe("the tools of an MCP client", () => {
  it("take orders by the schema that was published, to the letter", () => {
    assert.strictEqual(
      JSON.stringify([TOOLS[0]?.["name"], TOOLS[0]?.["description"], TOOLS[0]?.["inputSchema"]]),
      JSON.stringify([
        "order_openclaw",
        "Send a message to OpenClaw and receive a response. The message will be processed as if typed by a user. Supports sending images, files (PDF, text, markdown, CSV, JSON), audio, video, and archives (ZIP, TAR.GZ) via base64 encoding.",
        {
          type: "object",
          properties: {
            message: { type: "string", description: "The message to send to OpenClaw" },
            sessionKey: { type: "string", description: "Optional session key for conversation continuity" },
            images: {
              type: "array",
              description: "Optional base64-encoded images (max 10, 15MB each)",
              items: media("image", "image/png")
            },
            files: {
              type: "array",
              description: "Optional base64-encoded files (max 5, 15MB each)",
              items: media("file", "application/pdf")
            }
          },
          required: ["message"]
        }
      ])
    )
  })

  it("say what they may do: an order anything, the others nothing", () => {
    assert.deepStrictEqual(
      TOOLS.map(({ annotations, name, outputSchema }) => [
        name,
        (annotations as { readOnlyHint: boolean }).readOnlyHint,
        typeof outputSchema
      ]),
      [
        ["order_openclaw", false, "object"],
        ["order_status", true, "object"],
        ["order_history", true, "object"]
      ]
    )
    assert.deepStrictEqual(TOOLS[0]?.["annotations"], {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true
    })
  })
})

describe("an answer as the result of a tool", () => {
  const answer = makeAnswer()
  answer.text("Words.")
  answer.media({ mediaType: "image/png", data: base64(PNG), name: undefined })
  answer.media({ mediaType: "audio/wav", data: base64(wav()), name: undefined })
  answer.media({ mediaType: "application/pdf", data: base64(PDF), name: "Jahr 2025?.pdf" })
  answer.media({ mediaType: "image/svg+xml", data: base64(Buffer.from("<svg/>")), name: "a.svg" })
  answer.media({ mediaType: "application/zip", data: base64(FILES["application/zip"]!), name: "../x.zip" })
  const parts = answer.end("stop")

  it("has each part as what it is", () => {
    assert.deepStrictEqual(fromAnswer({ sessionKey: "k", parts, end: "stop" })["content"], [
      { type: "text", text: "Words." },
      { type: "image", data: base64(PNG), mimeType: "image/png" },
      { type: "audio", data: base64(wav()), mimeType: "audio/wav" },
      {
        type: "resource",
        resource: { uri: "attachment://Jahr%202025", mimeType: "application/pdf", blob: base64(PDF) }
      },
      { type: "resource", resource: { uri: "attachment://a.svg", mimeType: "image/svg+xml", blob: "PHN2Zy8+" } },
      {
        type: "resource",
        resource: { uri: "attachment://x.zip", mimeType: "application/zip", blob: base64(FILES["application/zip"]!) }
      }
    ])
  })

  it("names the session, and tells all of it once more for programs", () => {
    const result = fromAnswer({ sessionKey: "k", parts, end: "length" })
    assert.strictEqual(result["isError"], false)
    assert.deepInclude(result["structuredContent"], { sessionKey: "k", text: "Words.", ended: "length" })
    const structured = result["structuredContent"] as { readonly media: ReadonlyArray<unknown> }
    assert.deepStrictEqual(structured.media[0], { name: "image.png", mimeType: "image/png", bytes: PNG.length })
    assert.notInclude(JSON.stringify(structured), base64(PNG))
  })

  it("is never nothing", () => {
    const result = fromAnswer({ sessionKey: "k", parts: [], end: "stop" })
    assert.deepStrictEqual(result["content"], [{ type: "text", text: "The agent gave an empty answer." }])
  })

  it("that failed is an error, with what was said behind it", () => {
    assert.deepStrictEqual(fromFailure(new OrderRefused({ detail: "no" })), {
      content: [{ type: "text", text: "Error: no" }],
      isError: true
    })
    const failed = fromFailure(new OrderFailed({ detail: "down", sessionKey: "k", parts: parts.slice(0, 1) }))
    assert.deepStrictEqual(failed["content"], [
      { type: "text", text: "Error: down" },
      { type: "text", text: "Words." }
    ])
    assert.deepStrictEqual(failed["structuredContent"], { sessionKey: "k", text: "Error: down" })
    assert.isTrue(failed["isError"])
  })

  const LONG = `mcp-live://order/${"i".repeat(32)}/1`
  const long = { type: "text", text: "long ".repeat(10_000) } as const
  const linked = new Map<OrderPart, LinkedPart>([
    [
      long,
      {
        name: "text-1.txt",
        mimeType: "text/plain",
        bytes: 50_000,
        pieces: [1, 2].map((number) => ({ uri: `${LONG}/${number}`, mimeType: "text/plain", bytes: 25_000 }))
      }
    ]
  ])

  it("that is too long shows how it begins, and links to all of it", () => {
    const first = { type: "text", text: "First." } as const
    const { content, structuredContent } = fromAnswer(
      { sessionKey: "k", parts: [first, long], end: "stop" },
      [first, long],
      linked
    ) as unknown as { content: ReadonlyArray<Record<string, unknown>>; structuredContent: Record<string, unknown> }
    const [one, two, ...links] = content
    assert.deepStrictEqual(one, first)
    assert.isTrue(String(two?.["text"]).startsWith(long.text.slice(0, ORDER_BEGINNING_MAX_CHARS)))
    assert.include(two?.["text"], `${LONG}/1 to ${LONG}/2`)
    assert.isBelow(String(two?.["text"]).length, ORDER_BEGINNING_MAX_CHARS + 500)
    assert.deepStrictEqual(
      links,
      [1, 2].map((number) => ({
        type: "resource_link",
        uri: `${LONG}/${number}`,
        name: `text-1.txt (${number} of 2)`,
        mimeType: "text/plain",
        size: 25_000
      }))
    )
    assert.strictEqual(structuredContent["text"], `First.\n\n${String(two?.["text"])}`)
    assert.deepStrictEqual(structuredContent["linked"], [
      { name: "text-1.txt", mimeType: "text/plain", bytes: 50_000, uris: [`${LONG}/1`, `${LONG}/2`] }
    ])
    const failed = fromFailure(new OrderFailed({ detail: "down", sessionKey: "k", parts: [long] }), linked)
    assert.deepStrictEqual((failed["content"] as ReadonlyArray<unknown>).slice(2), links)
    // Where there is no room to keep it, that is told.
    const lost = new Map<OrderPart, LinkedPart>([[long, { ...linked.get(long)!, pieces: [] }]])
    assert.include(
      JSON.stringify(fromAnswer({ sessionKey: "k", parts: [long], end: "stop" }, [long], lost)),
      "was left out: there was no room to keep it"
    )
  })

  it("of what was said before is no longer than a client's line: the oldest turns are left out", () => {
    const turn = { message: "一".repeat(16_384), attachments: [], answer: "二".repeat(16_384), calls: [] }
    const turns = Array.from({ length: 100 }, (_, index) => ({ ...turn, calls: [`${index}`] }))
    const result = fromHistory({ sessionKey: "k", turns, earlier: 5 })
    assert.isBelow(Buffer.byteLength(JSON.stringify(result)), 10 * 1024 * 1024)
    const { earlier, turns: shown } = result["structuredContent"] as unknown as {
      readonly earlier: number
      readonly turns: ReadonlyArray<{ readonly calls: ReadonlyArray<string> }>
    }
    assert.deepStrictEqual(shown.at(-1)?.calls, ["99"])
    assert.strictEqual(earlier, 105 - shown.length)
    assert.include(JSON.stringify(result["content"]), `[${earlier} earlier turns]`)
  })

  it("has exactly the fields of its output schema, also for failures and for conversations", () => {
    const failed = new OrderFailed({ detail: "down", sessionKey: "k", parts })
    const turn = { message: "m", attachments: [{ name: "a", mediaType: "x/y" }], answer: "a", calls: ["t"] }
    const status = { sessionKey: "k", waiting: 0, turns: 1 }
    const results = {
      order_openclaw: [
        ...(["stop", "steps", "length", "refusal", "other"] as const).map((end) =>
          fromAnswer({ sessionKey: "k", parts, end })
        ),
        fromAnswer({ sessionKey: "k", parts: [long], end: "stop" }, [long], linked),
        fromFailure(failed),
        fromFailure(new OrderFailed({ detail: "down", sessionKey: "k", parts: [long] }), linked)
      ],
      order_status: [
        fromStatus({ ...status, state: "running", doing: "x", runningForMs: 1.5, updatedAt: "2026-01-01" }),
        ...(["waiting", "idle", "unknown"] as const).map((state) => fromStatus({ ...status, state }))
      ],
      order_history: [fromHistory({ sessionKey: "k", turns: [turn], earlier: 3 })]
    }
    for (const { name, outputSchema } of TOOLS) {
      const check = makeSchemaCheck({ ...(outputSchema as object), additionalProperties: false })
      for (const { structuredContent } of results[name as keyof typeof results]) {
        assert.strictEqual(check(structuredContent)._tag, "Fits", JSON.stringify(structuredContent))
      }
      assert.strictEqual(check({})._tag, "Mismatch")
    }
  })
})
