import { assert, describe, it } from "@effect/vitest"
import { networkReason } from "../../../../src/layers/secret/SecretResolver/networkReason.ts"

const coded = (code: unknown, cause?: unknown) => Object.assign(new Error("Bearer hunter2"), { code, cause })

describe("the reason of a network error", () => {
  const REASONS: ReadonlyArray<readonly [code: string, expected: RegExp, sent: boolean, certificate: boolean]> = [
    ["ECONNREFUSED", /nobody listens there/, false, false],
    ["ENOTFOUND", /not known by that name/, false, false],
    ["EAI_AGAIN", /cannot be looked up/, false, false],
    ["UND_ERR_CONNECT_TIMEOUT", /cannot be reached/, false, false],
    ["ECONNRESET", /closed the connection/, true, false],
    ["UND_ERR_SOCKET", /closed the connection/, true, false],
    ["HPE_INVALID_CONSTANT", /closed the connection/, true, false],
    ["CERT_HAS_EXPIRED", /has expired/, false, true],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /not signed by an authority that this machine trusts/, false, true],
    ["SELF_SIGNED_CERT_IN_CHAIN", /not signed by an authority that this machine trusts/, false, true],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /not signed by an authority that this machine trusts/, false, true],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /is for another host/, false, true],
    ["ERR_SSL_WRONG_VERSION_NUMBER", /does not speak TLS/, false, true],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", /requires a client certificate/, false, true]
  ]
  for (const [code, expected, sent, certificate] of REASONS) {
    it(`is given in words for ${code}`, () => {
      const reason = networkReason(new TypeError("fetch failed", { cause: coded(code) }))
      assert.match(reason?.detail ?? "", expected)
      assert.include(reason?.detail, `(${code})`)
      assert.deepInclude(reason, { neverSent: !sent, certificate })
    })
  }

  it("is found in an AggregateError", () => {
    assert.include(networkReason(new AggregateError([coded("ECONNREFUSED")]))?.detail, "ECONNREFUSED")
  })

  it("is undefined for anything but a known network code", () => {
    const circle: Error = new Error("a")
    circle.cause = circle
    for (const error of [
      undefined,
      "ECONNREFUSED",
      new Error("ECONNREFUSED"),
      coded(7),
      coded("hunter2"),
      coded("EWHAT"),
      coded("hunter2 SELF_SIGNED"),
      coded("ERR_SSL_ hunter2"),
      circle
    ]) {
      assert.isUndefined(networkReason(error))
    }
  })
})
