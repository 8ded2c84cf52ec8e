/** Which headers a request of 2026-07-28 has to have is what the SDK says. */
import { assert, describe, it } from "@effect/vitest"
import { createMcpHandler, Server, type JSONRPCRequest } from "@modelcontextprotocol/server"
import type { Exchange } from "../../../../../src/layers/listener/McpListener/http/Exchange.ts"
import { headerFault } from "../../../../../src/layers/listener/McpListener/http/standardHeaders.ts"

const REVISION = "2026-07-28"

const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientCapabilities": {}
}

const { fetch: answer } = createMcpHandler(() => new Server({ name: "test", version: "0" }, { capabilities: {} }))

const encoded = (name: string) => `=?base64?${Buffer.from(name).toString("base64")}?=`

const requests: ReadonlyArray<readonly [method: string, params: object]> = [
  ["tools/call", { name: "echo" }],
  ["tools/call", { name: "naïve" }],
  ["tools/call", {}],
  ["prompts/get", { name: "echo" }],
  ["resources/read", { uri: "echo" }],
  ["tasks/get", { taskId: "echo" }],
  ["tools/list", {}],
  ["toString", { name: "echo" }]
]

const names = [
  undefined,
  "echo",
  " echo\t",
  "other",
  encoded("echo"),
  encoded("naïve"),
  encoded("other"),
  "=?base64?%%?=",
  "=?base64?/w==?=",
  "=?base64?ZWNo?=",
  "=?base64?",
  ""
]

/** What the SDK says of the headers; nothing if it has no fault to find with them. */
const expected = async (body: JSONRPCRequest, headers: Record<string, string>) => {
  const request = new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" }
  })
  const response = await answer(request, { parsedBody: body })
  const { error } = (await response.json()) as { readonly error?: { readonly code: number } }
  return error?.code === -32_020 ? { status: response.status, error } : undefined
}

describe("the headers of a request", () => {
  it("have the faults that the SDK finds", async () => {
    let faults = 0
    for (const [method, params] of requests) {
      for (const revision of [undefined, REVISION]) {
        for (const named of [undefined, method]) {
          for (const name of names) {
            const body: JSONRPCRequest = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } }
            const given = { "mcp-protocol-version": revision, "mcp-method": named, "mcp-name": name }
            const headers = Object.fromEntries(
              Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
            )
            // As Node gives them: without blanks around them.
            const header = (key: string) => headers[key]?.trim()
            const fault = headerFault({ header } as Exchange, body, REVISION)
            const found =
              fault === undefined
                ? undefined
                : { status: fault.status, error: (JSON.parse(fault.text) as { readonly error: unknown }).error }
            assert.deepStrictEqual(found, await expected(body, headers), JSON.stringify([body, headers]))
            if (found !== undefined) faults++
          }
        }
      }
    }
    assert.isAbove(faults, 100)
  })
})
