import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { X509Certificate } from "node:crypto"
import { signatureOf } from "../../../../src/layers/config/Bundles/signature.ts"
import { splitSignature } from "../../../../src/schemas/config/bundle/SignatureBlock.ts"
import { bytesOf, certified, type Holder, pack, signAs } from "../../../fixtures/bundles/bundles.ts"
import { inFolder } from "../../../support/folder.ts"

const NOW = Date.parse("2026-06-01T00:00:00Z")
const AUTHORITY = [{ name: "basicConstraints", cA: true, critical: true }]
const SIGNER = [{ name: "extKeyUsage", codeSigning: true }]

describe("the name of a signer", () => {
  it.live("is trusted if its chain ends at a root of the system and it is meant for code signing", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const root = certified("Root", { extensions: AUTHORITY })
      const middle = certified("Middle", { issuer: root, extensions: AUTHORITY })
      const trusted = Effect.fnUntraced(function* (
        signer: Holder,
        others: ReadonlyArray<Holder>,
        roots: ReadonlyArray<Holder> = [root],
        now = NOW
      ) {
        const path = yield* Effect.promise(() => pack(folder))
        signAs(folder, path, signer, others)
        const { content, signature } = splitSignature(bytesOf(path))
        const found = signatureOf(content, signature, () => ({
          roots: roots.map(({ pem }) => new X509Certificate(pem)),
          now
        }))
        return found._tag === "Signed" ? found.isTrusted : assert.fail(JSON.stringify(found))
      })
      const signer = certified("Example Corp", { issuer: middle, extensions: SIGNER })
      assert.isTrue(yield* trusted(signer, [middle]))
      assert.isTrue(yield* trusted(signer, [], [middle]))
      assert.isFalse(yield* trusted(signer, []), "a certificate is missing")
      assert.isFalse(yield* trusted(signer, [middle], []), "nobody is trusted")
      assert.isFalse(
        yield* trusted(signer, [middle], [certified("Root", { extensions: AUTHORITY })]),
        "another one of that name"
      )
      assert.isFalse(yield* trusted(signer, [middle], [root], Date.parse("2101-01-01T00:00:00Z")), "it has expired")
      assert.isFalse(yield* trusted(certified("Example Corp", { issuer: middle }), [middle]), "not for signing code")
      const noAuthority = certified("Middle", { issuer: root })
      const below = certified("Example Corp", { issuer: noAuthority, extensions: SIGNER })
      assert.isFalse(yield* trusted(below, [noAuthority]), "issued by one who may not")
      const expired = certified("Example Corp", { issuer: middle, extensions: SIGNER, until: "2025-01-01T00:00:00Z" })
      assert.isFalse(yield* trusted(expired, [middle]))
    }).pipe(Effect.scoped)
  )
})
