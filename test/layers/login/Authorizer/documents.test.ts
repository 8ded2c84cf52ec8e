import { assert, describe, it } from "@effect/vitest"
import {
  readAuthorizationServer,
  readResourceDocument,
  relationOf
} from "../../../../src/layers/login/Authorizer/documents.ts"
import { AuthProblem } from "../../../../src/layers/login/Authorizer/problem.ts"

describe("how a resource stands to a server", () => {
  for (const [resource, server, relation] of [
    ["https://a.example/mcp", "https://a.example/mcp", "same"],
    ["https://a.example/mcp/", "https://a.example/mcp", "same"],
    ["https://a.example/mcp", "https://a.example/mcp/", "same"],
    ["https://a.example", "https://a.example/", "same"],
    ["https://a.example/mcp?tenant=1", "https://a.example/mcp?tenant=1", "same"],
    ["https://a.example/mcp", "https://a.example/mcp?tenant=1", "same"],
    ["https://a.example", "https://a.example/mcp", "parent"],
    ["https://a.example/", "https://a.example/mcp", "parent"],
    ["https://a.example/mcp", "https://a.example/mcp/deep", "parent"],
    ["https://a.example/mcp?tenant=2", "https://a.example/mcp?tenant=1", "other"],
    ["https://a.example/mcp/deep", "https://a.example/mcp", "other"],
    ["https://a.example/mc", "https://a.example/mcp", "other"],
    ["https://b.example/mcp", "https://a.example/mcp", "other"],
    ["http://a.example/mcp", "https://a.example/mcp", "other"],
    ["https://a.example:8443/mcp", "https://a.example/mcp", "other"],
    ["https://a.example/mcp#x", "https://a.example/mcp", "other"],
    ["https://u@a.example/mcp", "https://a.example/mcp", "other"],
    ["nonsense", "https://a.example/mcp", "other"]
  ] as const) {
    it(`${resource} is ${relation} for ${server}`, () => {
      assert.strictEqual(relationOf(resource, new URL(server)), relation)
    })
  }
})

describe("documents of any shape", () => {
  const values = [undefined, null, 0, "", "x", [], {}, [null, 7, "a"], { a: 1 }, true]
  const names = [
    "resource",
    "authorization_servers",
    "scopes_supported",
    "token_endpoint",
    "authorization_endpoint",
    "response_types_supported",
    "code_challenge_methods_supported",
    "token_endpoint_auth_methods_supported",
    "authorization_response_iss_parameter_supported"
  ]

  it("are read without a throw, and lists hold nothing but texts", () => {
    const check = (text: unknown) => (typeof text === "string" ? (URL.parse(text) ?? "is no address") : "is no address")
    for (const name of names) {
      for (const value of values) {
        const resource = readResourceDocument({ resource: "https://a.example", [name]: value }, 4)
        if (resource !== undefined) assert.isTrue(resource.scopes.every((scope) => typeof scope === "string"))
        const document = { issuer: "https://i.example", token_endpoint: "https://i.example/token", [name]: value }
        const server = readAuthorizationServer(document, "https://i.example", check)
        if (!(server instanceof AuthProblem)) assert.instanceOf(server.tokenEndpoint, URL)
      }
    }
  })

  it("name only so many authorization servers", () => {
    const servers = Array.from({ length: 100 }, (_, index) => `https://${index}.example`)
    const document = readResourceDocument({ resource: "https://a.example", authorization_servers: servers }, 4)
    assert.lengthOf(document?.authorizationServers ?? [], 4)
  })
})
