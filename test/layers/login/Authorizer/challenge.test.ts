import { assert, describe, it } from "@effect/vitest"
import { challengeOf, wantsNonce } from "../../../../src/layers/login/Authorizer/challenge.ts"

const BASE = { error: undefined, scopes: [], resourceMetadata: undefined }

describe("a WWW-Authenticate header", () => {
  it("is read with any quoting, spacing and order of parameters", () => {
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

  it("with parameter names inside another parameter's value is read correctly", () => {
    assert.deepStrictEqual(
      challengeOf('Bearer error_description="needs scope=admin, say \\"error=x\\"", scope="read"'),
      {
        ...BASE,
        scheme: "bearer",
        scopes: ["read"]
      }
    )
  })

  it("counts the first of repeated parameters", () => {
    assert.deepStrictEqual(challengeOf('Bearer scope="a", scope="b"')?.scopes, ["a"])
  })

  it("without a Bearer or DPoP scheme is undefined", () => {
    for (const header of [null, "", 'Basic realm="Bearer scope=a"', "Negotiate abc==", ",,,", '"']) {
      assert.isUndefined(challengeOf(header), String(header))
    }
    assert.deepStrictEqual(challengeOf("DPoP"), { ...BASE, scheme: "dpop" })
  })

  it("with malformed scopes keeps the others", () => {
    assert.deepStrictEqual(challengeOf('Bearer scope="a\\"b c\\\\ d é f"')?.scopes, ["d", "f"])
  })

  it("asks for a nonce only with DPoP and the error use_dpop_nonce", () => {
    assert.isTrue(wantsNonce('Bearer, DPoP error="use_dpop_nonce", algs="ES256"'))
    assert.isFalse(wantsNonce('Bearer error="use_dpop_nonce"'))
    assert.isFalse(wantsNonce('DPoP error="invalid_token", x="use_dpop_nonce"'))
  })

  it("of 100,000 repetitions is read", () => {
    for (const evil of ['"', "\\", "a=", 'a="\\', " ,", "Bearer "]) challengeOf(evil.repeat(100_000))
  })
})
