/** What is decided without the SDK is what the SDK would decide. */
import { assert, describe, it } from "@effect/vitest"
import * as sdk from "@modelcontextprotocol/server"
import { isMessage, routeOf } from "../../../../../src/layers/listener/McpListener/requests/sdk.ts"

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

const ids = [1, "a", 1.5, null, undefined, Number.MAX_SAFE_INTEGER + 2]
const versions = ["2.0", "1.0", undefined]
const methods = ["ping", "initialize", 7, undefined]
const params = [
  undefined,
  {},
  [],
  null,
  "text",
  { name: "echo" },
  { _meta: {} },
  { _meta: ENVELOPE },
  { _meta: { progressToken: {} } },
  { _meta: 7 }
]
const more = [{}, { result: {} }, { other: 1 }]

const others = [undefined, null, 7, "text", [], [{}], [{ jsonrpc: "2.0", id: 1, method: "ping" }]]

const messages = ids.flatMap((id) =>
  versions.flatMap((jsonrpc) =>
    methods.flatMap((method) =>
      params.flatMap((given) => more.map((rest) => ({ jsonrpc, id, method, params: given, ...rest })))
    )
  )
)

/** As JSON has it: without what is undefined. */
const sent = [...others, ...messages].map((body): unknown =>
  body === undefined ? undefined : JSON.parse(JSON.stringify(body))
)

const revisions = [undefined, "2025-11-25", "2026-07-28", "x"]

const outcome = ({ kind, ...rest }: ReturnType<typeof routeOf>) =>
  kind === "reject" && "code" in rest ? [kind, rest.code, rest.message] : [kind]

describe("a message", () => {
  it("is one exactly if the SDK takes it for one", () => {
    for (const body of sent) {
      const expected =
        sdk.isJSONRPCRequest(body) ||
        sdk.isJSONRPCNotification(body) ||
        sdk.isJSONRPCResultResponse(body) ||
        sdk.isJSONRPCErrorResponse(body)
      assert.strictEqual(isMessage(sdk, body), expected, JSON.stringify(body))
    }
  })

  it("goes the way over HTTP that the SDK says, whatever its headers are", () => {
    for (const revision of revisions) {
      const header = (name: string) => (name === "mcp-protocol-version" ? revision : undefined)
      for (const body of sent) {
        const expected = sdk.classifyInboundRequest({
          httpMethod: "POST",
          ...(revision === undefined ? {} : { protocolVersionHeader: revision }),
          body
        })
        const given = routeOf(sdk, { method: "POST", header }, body)
        assert.deepStrictEqual(outcome(given), outcome(expected), `${revision} ${JSON.stringify(body)}`)
      }
    }
  })
})
