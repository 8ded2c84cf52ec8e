import { assert, describe, it } from "@effect/vitest"
import { covers, readAuthorizationServer, readResourceDocument } from "../../../src/layers/Authorizer/documents.ts"
import { AuthProblem } from "../../../src/layers/Authorizer/problem.ts"

describe("what a resource covers", () => {
  for (const [resource, server, does] of [
    ["https://a.example/mcp", "https://a.example/mcp", true],
    ["https://a.example", "https://a.example/mcp", true],
    ["https://a.example/", "https://a.example/mcp", true],
    ["https://a.example/mcp/", "https://a.example/mcp", true],
    ["https://a.example/mcp", "https://a.example/mcp/", true],
    ["https://a.example/mcp", "https://a.example/mcp/deep", true],
    ["https://a.example/mcp/deep", "https://a.example/mcp", false],
    ["https://a.example/mc", "https://a.example/mcp", false],
    ["https://b.example/mcp", "https://a.example/mcp", false],
    ["http://a.example/mcp", "https://a.example/mcp", false],
    ["https://a.example:8443/mcp", "https://a.example/mcp", false],
    ["https://a.example/mcp#x", "https://a.example/mcp", false],
    ["https://u@a.example/mcp", "https://a.example/mcp", false],
    ["nonsense", "https://a.example/mcp", false]
  ] as const) {
    it(`${resource} ${does ? "covers" : "does not cover"} ${server}`, () => {
      assert.strictEqual(covers(resource, new URL(server)), does)
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
