import { assert, describe, it } from "@effect/vitest"
import { certificateProblem } from "../../../src/schemas/connection/Certificates.ts"

describe("the code of an error with a certificate", () => {
  const cases = [
    ["CERT_HAS_EXPIRED", "expired"],
    ["CERT_NOT_YET_VALID", "early"],
    ["CERT_REVOKED", "revoked"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "name"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "untrusted"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "untrusted"],
    ["UNABLE_TO_GET_ISSUER_CERT", "untrusted"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "untrusted"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "untrusted"],
    ["CERT_UNTRUSTED", "untrusted"],
    ["INVALID_CA", "untrusted"],
    ["ECONNREFUSED", undefined],
    // The peer wants one from us.
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", undefined]
  ] as const
  for (const [code, problem] of cases)
    it(`${code} is ${problem ?? "none"}`, () => assert.strictEqual(certificateProblem(code), problem))
})
