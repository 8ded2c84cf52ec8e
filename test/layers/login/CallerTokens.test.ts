import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as CallerTokensLayer from "../../../src/layers/login/CallerTokens.ts"
import { CALLER_TOKENS_KEPT, CALLERS_MAX } from "../../../src/schemas/defaults/Clients.ts"
import { CallerTokens } from "../../../src/services/login/CallerTokens.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"

const person = (subject: string, issuer = "https://login.example.com") => ({ issuer, subject, name: "ada" })
const ADA = person("1")

const token = (n: number) =>
  `eyJhbGciOiJFUzI1NiJ9.${"4f9a1c7be2d0583664b1d97a0ce8f325".repeat(2)}.${n}-b07d3e58a1f64c29`

const running = <A>(use: (tokens: CallerTokens["Service"], redactor: Redactor["Service"]) => Effect.Effect<A>) =>
  Effect.gen(function* () {
    return yield* use(yield* CallerTokens, yield* Redactor)
  }).pipe(Effect.provide(CallerTokensLayer.layer.pipe(Layer.provideMerge(RedactorLayer.layer))))

const valueOf = (tokens: CallerTokens["Service"], whose = ADA) => {
  const found = tokens.of(whose)
  return found === undefined ? undefined : Redacted.value(found)
}

describe("CallerTokens", () => {
  it.effect("has the newest token of a person, and nobody else's, also of the same name", () =>
    running((tokens) =>
      Effect.sync(() => {
        tokens.seen(ADA, token(1), 10_000)
        tokens.seen(person("2"), token(2), 10_000)
        tokens.seen(person("1", "https://other.example.com"), token(3), 10_000)
        assert.strictEqual(valueOf(tokens), token(1))
        tokens.seen(ADA, token(4), 10_000)
        assert.strictEqual(valueOf(tokens), token(4))
        assert.strictEqual(valueOf(tokens, person("2")), token(2))
        assert.isUndefined(valueOf(tokens, person("3")))
      })
    )
  )

  it.effect("has none that has expired", () =>
    running((tokens) =>
      Effect.gen(function* () {
        tokens.seen(ADA, token(1), 10_000)
        yield* TestClock.adjust(9_999)
        assert.strictEqual(valueOf(tokens), token(1))
        yield* TestClock.adjust(1)
        assert.isUndefined(valueOf(tokens))
      })
    )
  )

  it.effect("has a token that came again until it expires by what was said of it last", () =>
    running((tokens) =>
      Effect.gen(function* () {
        tokens.seen(ADA, token(1), 10_000)
        tokens.seen(ADA, token(1), 20_000)
        yield* TestClock.adjust(19_999)
        assert.strictEqual(valueOf(tokens), token(1))
        tokens.seen(ADA, token(2), 20_000)
        tokens.seen(ADA, token(1), 30_000)
        yield* TestClock.adjust(10_000)
        assert.strictEqual(valueOf(tokens), token(1))
        yield* TestClock.adjust(1)
        assert.isUndefined(valueOf(tokens))
      })
    )
  )

  it.effect("a token is masked and goes to no server; of many tokens of a person only the last ones are known", () =>
    running((tokens, redactor) =>
      Effect.sync(() => {
        for (let n = 0; n <= CALLER_TOKENS_KEPT; n++) {
          tokens.seen(ADA, token(n), 10_000)
          tokens.seen(ADA, token(n), 10_000)
        }
        const last = token(CALLER_TOKENS_KEPT)
        assert.notInclude(redactor.redact(`Bearer ${last}`), last)
        assert.isTrue(redactor.holdsForeign(`x ${last}`, "tickets"))
        assert.isTrue(redactor.holdsForeign(`x ${token(1)}`, "tickets"))
        assert.isFalse(redactor.holdsForeign(`x ${token(0)}`, "tickets"))
      })
    )
  )

  it.effect("clients of a person that take turns cost no search of their own each time, and the last one counts", () =>
    Effect.gen(function* () {
      const { redactor, registered } = yield* Effect.map(Redactor, (inner) => {
        const names: Array<string> = []
        const register: typeof inner.register = (...of) => (names.push(of[0]), inner.register(...of))
        return { redactor: Redactor.of({ ...inner, register }), registered: names }
      })
      const made = yield* Layer.build(CallerTokensLayer.layer.pipe(Layer.provide(Layer.succeed(Redactor, redactor))))
      const tokens = made.mapUnsafe.get(CallerTokens.key) as CallerTokens["Service"]
      for (let n = 0; n < 20; n++) tokens.seen(ADA, token(n % 2), 10_000)
      assert.deepStrictEqual(registered, [token(0), token(1)])
      assert.strictEqual(valueOf(tokens), token(1))
      tokens.seen(ADA, token(0), 10_000)
      assert.strictEqual(valueOf(tokens), token(0))
    }).pipe(Effect.scoped, Effect.provide(RedactorLayer.layer))
  )

  it.effect("forgets the person that was not heard of for longest", () =>
    running((tokens) =>
      Effect.sync(() => {
        for (let n = 0; n < CALLERS_MAX; n++) tokens.seen(person(`p${n}`), `token-${n}`, 10_000)
        tokens.seen(person("p0"), "token-0", 10_000)
        tokens.seen(ADA, token(1), 10_000)
        assert.isDefined(tokens.of(person("p0")))
        assert.isUndefined(tokens.of(person("p1")))
      })
    )
  )
})
