import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { makeKnown } from "../../../../src/layers/login/TokenStore/known.ts"
import { NO_CREDENTIALS, type Credentials } from "../../../../src/schemas/login/Credentials.ts"
import { LOGIN_SECRETS_KEPT } from "../../../../src/schemas/defaults/Authorization.ts"
import { SECRETS_RELEASED_MAX } from "../../../../src/schemas/defaults/Secrets.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"

const IDENTITY = { server: "tickets", resource: "https://tickets.example/mcp" }
const REFRESH = "refresh-b07d3e58a1f64c2990e5d8173ba2c46f"
const accessOf = (index: number) => `access-${createHash("sha256").update(String(index)).digest("hex")}`
const credentials = (
  index: number,
  { access = accessOf(index), refresh = REFRESH, secret }: { access?: string; refresh?: string; secret?: string } = {}
): Credentials => ({
  ...NO_CREDENTIALS,
  clients: secret === undefined ? {} : { "https://issuer.example": { clientId: "client", clientSecret: secret } },
  authorization: {
    issuer: "https://issuer.example",
    resource: IDENTITY.resource,
    clientId: "client",
    tokens: { accessToken: access, tokenType: "Bearer", refreshToken: refresh, scopes: [], obtainedAt: 1 }
  }
})

describe("tokens of a login as secrets", () => {
  it.effect("are withheld while they are among the last few, masked when they are older, and forgotten at last", () =>
    Effect.gen(function* () {
      const redactor = yield* Redactor
      const known = makeKnown(redactor)
      const total = 2 * SECRETS_RELEASED_MAX
      for (let index = 0; index < total; index++) yield* known(IDENTITY, credentials(index))
      for (let index = total - LOGIN_SECRETS_KEPT; index < total; index++) {
        assert.isTrue(redactor.holdsForeign(accessOf(index), "tickets"))
      }
      const replaced = accessOf(total - LOGIN_SECRETS_KEPT - 1)
      assert.isFalse(redactor.holdsForeign(replaced, "tickets"))
      assert.strictEqual(redactor.redact(replaced), "[REDACTED]")
      assert.isTrue(redactor.holdsForeign(REFRESH, "tickets"))
      assert.strictEqual(redactor.redact(accessOf(0)), accessOf(0))
    }).pipe(Effect.provide(RedactorLayer.layer))
  )

  it.effect("keep their place when they are read again", () =>
    Effect.gen(function* () {
      const redactor = yield* Redactor
      const known = makeKnown(redactor)
      yield* known(IDENTITY, credentials(0))
      const version = redactor.version()
      for (let again = 0; again < 2 * LOGIN_SECRETS_KEPT; again++) yield* known(IDENTITY, credentials(1 - (again % 2)))
      assert.strictEqual(redactor.version(), version + 1)
      for (const index of [0, 1]) assert.isTrue(redactor.holdsForeign(accessOf(index), "tickets"))
    }).pipe(Effect.provide(RedactorLayer.layer))
  )
})

describe("tokens of a login that do not look random", () => {
  const WORDS = ["README.md", "content", "https:/", "honest", "/home/ada/projects/notes"]

  it.effect("are not masked, while the other tokens are, and the operator is warned once per server", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      const redactor = yield* Redactor
      const known = makeKnown(redactor)
      for (const [index, word] of WORDS.entries()) {
        yield* known(IDENTITY, credentials(index, { access: word }))
        yield* known(IDENTITY, credentials(index, { refresh: word }))
        yield* known(IDENTITY, credentials(index, { secret: word }))
        assert.isFalse(redactor.holdsForeign(word, "honest"))
        assert.strictEqual(redactor.redact(`about ${word}`), `about ${word}`)
        assert.isTrue(redactor.holdsForeign(accessOf(index), "honest"))
      }
      assert.isTrue(redactor.holdsForeign(REFRESH, "honest"))
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "'tickets'")
      assert.include(lines[0], "does not look random")
      yield* known({ ...IDENTITY, server: "other" }, credentials(0, { access: "README.md" }))
      assert.lengthOf(lines, 2)
      for (const word of WORDS) assert.notInclude(lines.join("\n"), word)
    }).pipe(Effect.provide(Layer.merge(RedactorLayer.layer, Logger.layer([logger]))))
  })

  it.effect("do not keep the DPoP key from being a secret", () =>
    Effect.gen(function* () {
      const redactor = yield* Redactor
      const d = "UpMzLs3GbVbQjVvGOXsxA9YgVd5dB1kZ2hFvQw7rT0c"
      yield* makeKnown(redactor)(IDENTITY, { ...credentials(0, { access: "content" }), dpopKey: { d } })
      assert.isTrue(redactor.holdsForeign(d, "honest"))
    }).pipe(Effect.provide(RedactorLayer.layer))
  )
})
