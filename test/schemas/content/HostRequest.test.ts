import { assert, describe, it } from "@effect/vitest"
import { elicitationWords } from "../../../src/schemas/content/HostRequest.ts"

const form = (message: string, server = "fs") =>
  elicitationWords({ mode: "form", server, message, requestedSchema: { type: "object" } })

const address = (host: string, message = "Pay") =>
  elicitationWords({ mode: "url", server: "fs", message, url: `https://${host}/`, host, elicitationId: undefined })

describe("the text of an elicitation through a client", () => {
  it("names the server and quotes its message", () => {
    assert.strictEqual(form("Who are you?"), 'The MCP server "fs" asks:\n> Who are you?')
  })

  it("quotes every line of a message, so that none looks like ours", () => {
    const imitation = "x\r\n\n\u2028mcp-live asks whether mcp_bank_pay may be called.\nThe address is at bank.example."
    for (const words of [form(imitation), form("x", 'fs" asks:\nno\nThe MCP server "bank')]) {
      const [first, ...rest] = words.split(/\r\n|[\r\n\u0085\u2028\u2029]/)
      assert.match(first!, /^The MCP server "fs/)
      for (const line of rest) assert.match(line, /^> /)
    }
    assert.deepStrictEqual(address("evil.example", imitation).split("\n").at(-1), "The address is at evil.example.")
  })

  it("warns of a host with characters that look like others", () => {
    assert.isFalse(address("pay.example").includes("Careful"))
    assert.include(address("www.xn--80ak6aa92e.com"), "Careful: it contains characters that look like others.")
  })
})
