import { assert, describe, it } from "@effect/vitest"
import { challengeOf, wantsNonce } from "../../../../src/layers/login/Authorizer/challenge.ts"

const BASE = { error: undefined, scopes: [], resourceMetadata: undefined }

describe("WWW-Authenticate", () => {
  it("is read whatever its quotes, spaces and order", () => {
    const wanted = {
      scheme: "bearer",
      error: "insufficient_scope",
      scopes: ["a", "b:c"],
      resourceMetadata: "https://x/y"
    }
    for (const header of [
      'Bearer error="insufficient_scope", scope="a b:c", resource_metadata="https://x/y"',
      'bearer  scope = "a b:c" ,error=insufficient_scope,resource_metadata=https://x/y',
      'Basic realm="x", Bearer resource_metadata="https://x/y", scope="a b:c", error="insufficient_scope"',
      'Bearer, Bearer error="insufficient_scope", scope="a b:c a", resource_metadata="https://x/y"'
    ]) {
      assert.deepStrictEqual(challengeOf(header), wanted as never, header)
    }
  })

  it("a parameter is not found inside of another one", () => {
    assert.deepStrictEqual(
      challengeOf('Bearer error_description="needs scope=admin, say \\"error=x\\"", scope="read"'),
      {
        ...BASE,
        scheme: "bearer",
        scopes: ["read"]
      }
    )
  })

  it("what comes first counts", () => {
    assert.deepStrictEqual(challengeOf('Bearer scope="a", scope="b"')?.scopes, ["a"])
  })

  it("is none without a scheme of ours", () => {
    for (const header of [null, "", 'Basic realm="Bearer scope=a"', "Negotiate abc==", ",,,", '"']) {
      assert.isUndefined(challengeOf(header), String(header))
    }
    assert.deepStrictEqual(challengeOf("DPoP"), { ...BASE, scheme: "dpop" })
  })

  it("scopes that are none are left out", () => {
    assert.deepStrictEqual(challengeOf('Bearer scope="a\\"b c\\\\ d é f"')?.scopes, ["d", "f"])
  })

  it("asks for a nonce only where DPoP does", () => {
    assert.isTrue(wantsNonce('Bearer, DPoP error="use_dpop_nonce", algs="ES256"'))
    assert.isFalse(wantsNonce('Bearer error="use_dpop_nonce"'))
    assert.isFalse(wantsNonce('DPoP error="invalid_token", x="use_dpop_nonce"'))
  })

  it("takes time in proportion to its length", () => {
    for (const evil of ['"', "\\", "a=", 'a="\\', " ,", "Bearer "]) challengeOf(evil.repeat(100_000))
  })
})
