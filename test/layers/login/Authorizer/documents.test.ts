import { assert, describe, it } from "@effect/vitest"
import {
  readAuthorizationServer,
  readResourceDocument,
  relationOf
} from "../../../../src/layers/login/Authorizer/documents.ts"
import { METADATA_ADDRESS_MAX_CHARS, SCOPE_MAX_CHARS } from "../../../../src/schemas/defaults/Authorization.ts"
import { AuthProblem } from "../../../../src/layers/login/Authorizer/problem.ts"

describe("the relation of a resource to a server", () => {
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

describe("a metadata document", () => {
  const address = (chars: number) => "https://a.example/".padEnd(chars, "x")

  it("keeps addresses up to a maximum length", () => {
    const [longest, tooLong] = [address(METADATA_ADDRESS_MAX_CHARS), address(METADATA_ADDRESS_MAX_CHARS + 1)]
    assert.deepStrictEqual(readResourceDocument({ resource: longest, authorization_servers: [tooLong, longest] }, 16), {
      resource: longest,
      authorizationServers: [longest],
      scopes: []
    })
    assert.isUndefined(readResourceDocument({ resource: tooLong }, 16))
  })

  it("keeps scopes that are well formed and up to a maximum length", () => {
    const longest = "s".repeat(SCOPE_MAX_CHARS)
    const scopes_supported = [`${longest}s`, longest, "two words", "", "read"]
    const read = readResourceDocument({ resource: address(20), scopes_supported }, 16)
    assert.deepStrictEqual(read?.scopes, [longest, "read"])
  })
})

describe("a metadata document of any shape", () => {
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

  it("is read without an exception", () => {
    const check = (text: unknown) =>
      typeof text === "string" ? (URL.parse(text) ?? "is not an address") : "is not an address"
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

  it("keeps a limited number of authorization servers", () => {
    const servers = Array.from({ length: 100 }, (_, index) => `https://${index}.example`)
    const document = readResourceDocument({ resource: "https://a.example", authorization_servers: servers }, 4)
    assert.lengthOf(document?.authorizationServers ?? [], 4)
  })
})
