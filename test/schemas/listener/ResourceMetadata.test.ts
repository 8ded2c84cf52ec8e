import { assert, describe, it } from "@effect/vitest"
import {
  challengeOf,
  isMetadataPath,
  metadataAddressOf,
  metadataOf
} from "../../../src/schemas/listener/ResourceMetadata.ts"

const RESOURCE = {
  resource: "https://mcp.example.com/mcp",
  issuers: ["https://login.example.com"],
  scopes: ["mcp"],
  proofAlgorithms: ["ES256"]
}

describe("the metadata of the resource", () => {
  it("is at the well-known path before that of the resource (RFC 9728, 3.1)", () => {
    const address = metadataAddressOf(RESOURCE.resource)
    assert.strictEqual(address, "https://mcp.example.com/.well-known/oauth-protected-resource/mcp")
    assert.strictEqual(
      metadataAddressOf("https://a.example/"),
      "https://a.example/.well-known/oauth-protected-resource"
    )
    assert.isTrue(isMetadataPath(new URL(address).pathname))
  })

  it("is at the path of each address, and nowhere else", () => {
    for (const path of ["", "/mcp", "/mcp/files", "/sse"])
      assert.isTrue(isMetadataPath(`/.well-known/oauth-protected-resource${path}`))
    for (const path of ["/", "/other", "/mcp/a/b"])
      assert.isFalse(isMetadataPath(`/.well-known/oauth-protected-resource${path}`))
  })

  it("names resource, issuers, scopes and the algorithms of proofs", () => {
    assert.deepInclude(metadataOf(RESOURCE), {
      resource: RESOURCE.resource,
      authorization_servers: RESOURCE.issuers,
      scopes_supported: ["mcp"],
      dpop_signing_alg_values_supported: ["ES256"]
    })
  })
})

describe("the challenge", () => {
  it("names no error where no token was sent (RFC 6750, 3.1)", () => {
    assert.strictEqual(
      challengeOf(RESOURCE, undefined),
      'Bearer scope="mcp", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'
    )
  })

  it("names the error, the scopes that are needed, and the algorithms for DPoP", () => {
    assert.match(
      challengeOf(RESOURCE, { fault: "insufficient_scope", scopes: ["a", "b"] }),
      /error="insufficient_scope", scope="a b"/
    )
    assert.match(
      challengeOf(RESOURCE, { fault: "invalid_dpop_proof" }, "DPoP"),
      /^DPoP error="invalid_dpop_proof".*algs="ES256"/
    )
  })
})
