import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as SecretResolverLayer from "../../../../src/layers/secret/SecretResolver.ts"
import {
  SECRET_FAILURE_TTL_MS,
  SECRET_TIMEOUT_MS,
  SECRET_TTL_MS,
  SECRETS_KEPT_MAX
} from "../../../../src/schemas/defaults/Secrets.ts"
import { DEFAULT_SECRETS } from "../../../../src/schemas/secret/SecretsConfig.ts"
import { SecretResolver } from "../../../../src/services/secret/SecretResolver.ts"
import { recordingRedactor } from "./recordingRedactor.ts"

type Read = (path: string, version: string | undefined) => Effect.Effect<string, string>

/** A provider that costs, and one of the same kind that does not; `asked` is what they were asked for. */
const setUp = (read: Read, ttlMs = SECRET_TTL_MS) => {
  const asked: Array<string> = []
  const { layer: redactor, registered } = recordingRedactor()
  const counted: Read = (path, version) =>
    Effect.suspend(() => {
      asked.push(version === undefined ? path : `${path}#${version}`)
      return read(path, version)
    })
  const layer = SecretResolverLayer.layer({
    env: {},
    config: { ...DEFAULT_SECRETS, ttlMs },
    providers: { dear: { read: counted, kept: true }, other: { read: counted, kept: true }, cheap: { read: counted } }
  }).pipe(Layer.provide(redactor))
  return { asked, registered, provided: Effect.provide(layer) }
}

const resolve = Effect.fnUntraced(function* (text: string, owner = "fs") {
  return Redacted.value(yield* (yield* SecretResolver).resolve(owner, text))
})

const refusal = (text: string) => Effect.map(Effect.flip(resolve(text)), ({ detail }) => detail)

/** `value-1` of the first reading, `value-2` of the second. */
const counting = (): Read => {
  let count = 0
  return () => Effect.sync(() => `value-${++count}`)
}

describe("values of providers that cache", () => {
  it.effect("are cached until the TTL has passed", () => {
    const { asked, provided } = setUp(counting())
    return Effect.gen(function* () {
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-1")
      yield* TestClock.adjust(SECRET_TTL_MS - 1)
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-1")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-2")
      assert.deepStrictEqual(asked, ["x", "x"])
    }).pipe(provided)
  })

  it.effect("are cached, and those of other providers are read each time", () => {
    const { provided } = setUp(counting())
    return Effect.gen(function* () {
      assert.strictEqual(yield* resolve("secret://cheap/x"), "value-1")
      assert.strictEqual(yield* resolve("secret://cheap/x"), "value-2")
    }).pipe(provided)
  })

  it.effect("are not cached when the TTL is 0", () => {
    const { provided } = setUp(counting(), 0)
    return Effect.gen(function* () {
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-1")
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-2")
    }).pipe(provided)
  })

  it.effect("are cached by provider, path and version", () => {
    const { asked, provided } = setUp((path, version) => Effect.succeed(`${path} at ${version}`))
    const references = [
      "secret://dear/a/b",
      "secret://other/a/b",
      "secret://dear/a/b#1",
      "secret://dear/a/b#undefined",
      "{secret://dear/a,b}",
      "secret://dear/a-b",
      "secret://dear/b/a",
      "secret://dear/__proto__"
    ]
    return Effect.gen(function* () {
      for (const reference of references) yield* resolve(reference)
      for (const reference of references) yield* resolve(reference)
      assert.strictEqual(asked.length, references.length)
      assert.strictEqual(yield* resolve("secret://dear/a/b#undefined"), "a/b at undefined")
    }).pipe(provided)
  })

  it.effect("are cached up to a limit, and the oldest is dropped first", () => {
    const { asked, provided } = setUp(Effect.succeed)
    return Effect.gen(function* () {
      for (let i = 0; i <= SECRETS_KEPT_MAX; i++) yield* resolve(`secret://dear/value-${i}`)
      assert.strictEqual(asked.length, SECRETS_KEPT_MAX + 1)
      yield* resolve("secret://dear/value-1")
      assert.strictEqual(asked.length, SECRETS_KEPT_MAX + 1)
      yield* resolve("secret://dear/value-0")
      assert.strictEqual(asked.length, SECRETS_KEPT_MAX + 2)
    }).pipe(provided)
  })
})

describe("failures of a provider", () => {
  it.effect("are cached for at most 5 s", () => {
    let isDown = true
    const { asked, provided } = setUp(() => (isDown ? Effect.fail("it is down") : Effect.succeed("value-1")))
    return Effect.gen(function* () {
      assert.strictEqual(yield* refusal("secret://dear/x"), "it is down")
      isDown = false
      yield* TestClock.adjust(SECRET_FAILURE_TTL_MS - 1)
      assert.strictEqual(yield* refusal("secret://dear/x"), "it is down")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-1")
      assert.deepStrictEqual(asked, ["x", "x"])
    }).pipe(provided)
  })

  const UNUSABLE: ReadonlyArray<readonly [what: string, value: string, detail: string]> = [
    ["empty", "", "it is empty"],
    ["blank", " \n", "it is empty"],
    ["a NUL in it", "canary\0", "its value contains a NUL character"]
  ]
  for (const [what, value, detail] of UNUSABLE) {
    it.effect(`include values that cannot be used: ${what}`, () => {
      const answers = [value, "value-2"]
      const { provided } = setUp(() => Effect.sync(() => answers.shift() ?? ""))
      return Effect.gen(function* () {
        assert.strictEqual(yield* refusal("secret://dear/x"), detail)
        yield* TestClock.adjust(SECRET_FAILURE_TTL_MS)
        assert.strictEqual(yield* resolve("secret://dear/x"), "value-2")
      }).pipe(provided)
    })
  }

  it.effect("are cached no longer than values are", () => {
    const { asked, provided } = setUp(() => Effect.fail("it is down"), 1_000)
    return Effect.gen(function* () {
      yield* refusal("secret://dear/x")
      yield* TestClock.adjust(1_000)
      yield* refusal("secret://dear/x")
      assert.lengthOf(asked, 2)
    }).pipe(provided)
  })
})

describe("concurrent reads of one secret", () => {
  it.effect("share one request, and all get the value", () => {
    const gate = Deferred.makeUnsafe<string>()
    const { asked, provided } = setUp(() => Deferred.await(gate))
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach(["fs", "web", "db"], (owner) =>
        Effect.forkChild(resolve("Bearer secret://dear/x", owner), { startImmediately: true })
      )
      yield* Deferred.succeed(gate, "value-1")
      assert.deepStrictEqual(
        yield* Effect.forEach(fibers, Fiber.join),
        Array.from({ length: 3 }, () => "Bearer value-1")
      )
      assert.deepStrictEqual(asked, ["x"])
    }).pipe(provided)
  })

  it.effect("share one request even where nothing is cached", () => {
    const gate = Deferred.makeUnsafe<string>()
    const { asked, provided } = setUp(() => Deferred.await(gate), 0)
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(resolve("secret://dear/x"), { startImmediately: true })
      const other = yield* Effect.forkChild(resolve("secret://dear/x"), { startImmediately: true })
      yield* Deferred.succeed(gate, "value-1")
      assert.deepStrictEqual([yield* Fiber.join(fiber), yield* Fiber.join(other)], ["value-1", "value-1"])
      assert.lengthOf(asked, 1)
    }).pipe(provided)
  })

  it.effect("go on when the first of them is interrupted", () => {
    const gate = Deferred.makeUnsafe<string>()
    const { asked, provided } = setUp(() => Deferred.await(gate))
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(resolve("secret://dear/x"), { startImmediately: true })
      const second = yield* Effect.forkChild(resolve("secret://dear/x"), { startImmediately: true })
      yield* Fiber.interrupt(first)
      assert.isUndefined(second.pollUnsafe())
      yield* Deferred.succeed(gate, "value-1")
      assert.strictEqual(yield* Fiber.join(second), "value-1")
      assert.lengthOf(asked, 1)
    }).pipe(provided)
  })

  it.effect("interrupt the request when all of them are interrupted, and the next read starts again", () => {
    let stopped = 0
    const { asked, provided } = setUp(() =>
      stopped === 0
        ? Effect.onInterrupt(Effect.never, () => Effect.sync(() => void stopped++))
        : Effect.succeed("value-2")
    )
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(resolve("secret://dear/x"), { startImmediately: true })
      const second = yield* Effect.forkChild(resolve("secret://dear/x"), { startImmediately: true })
      yield* Fiber.interrupt(first)
      assert.strictEqual(stopped, 0)
      yield* Fiber.interrupt(second)
      yield* Effect.yieldNow
      assert.strictEqual(stopped, 1)
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-2")
      assert.lengthOf(asked, 2)
    }).pipe(provided)
  })

  it.effect("time out together, counted from the first", () => {
    const { asked, provided } = setUp(() => Effect.never)
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(refusal("secret://dear/x"), { startImmediately: true })
      yield* TestClock.adjust(SECRET_TIMEOUT_MS - 1)
      const second = yield* Effect.forkChild(refusal("secret://dear/x"), { startImmediately: true })
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust(1)
      for (const fiber of [first, second]) {
        assert.strictEqual(yield* Fiber.join(fiber), "provider 'dear' gave no answer within 10 s")
      }
      assert.lengthOf(asked, 1)
    }).pipe(provided)
  })

  it.effect("time out even when the provider cannot be interrupted", () => {
    const { provided } = setUp(() => Effect.uninterruptible(Effect.as(Effect.sleep("1 hour"), "value-1")))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(refusal("secret://dear/x"), { startImmediately: true })
      yield* TestClock.adjust(SECRET_TIMEOUT_MS)
      assert.match(yield* Fiber.join(fiber), /no answer within 10 s/)
      yield* TestClock.adjust("1 hour")
    }).pipe(provided)
  })

  const BROKEN: ReadonlyArray<readonly [what: string, read: Read]> = [
    ["a defect", () => Effect.die(new Error("canary-value"))],
    [
      "an exception",
      () => {
        throw new Error("canary-value")
      }
    ],
    ["an interruption of itself", () => Effect.interrupt]
  ]
  for (const [what, read] of BROKEN) {
    it.effect(`fail with the provider's name alone when it breaks by ${what}`, () => {
      const { provided } = setUp(read)
      return Effect.gen(function* () {
        assert.strictEqual(yield* refusal("secret://dear/x"), "provider 'dear' failed")
        assert.strictEqual(yield* refusal("secret://cheap/x"), "provider 'cheap' failed")
      }).pipe(provided)
    })
  }
})

describe("owners of a value", () => {
  it.effect("are all servers that read it", () => {
    const { asked, provided, registered } = setUp(() => Effect.succeed("value-1"))
    return Effect.gen(function* () {
      yield* resolve("secret://dear/x", "fs")
      yield* resolve("secret://dear/x", "web")
      assert.deepStrictEqual(registered, [
        ["value-1", "fs"],
        ["value-1", "web"]
      ])
      assert.lengthOf(asked, 1)
    }).pipe(provided)
  })

  it.effect("own the text around it, too", () => {
    const { provided, registered } = setUp(() => Effect.succeed("value-1"))
    return Effect.gen(function* () {
      yield* resolve("user:secret://dear/x", "web")
      assert.deepStrictEqual(registered, [
        ["value-1", "web"],
        ["user:value-1", "web"]
      ])
    }).pipe(provided)
  })

  it.effect("can be forgotten: their values are read again, and those of other owners stay cached", () => {
    const { asked, provided } = setUp((path) => Effect.succeed(`value-of-${path}`))
    return Effect.gen(function* () {
      yield* resolve("secret://dear/own secret://dear/shared", "fs")
      yield* resolve("secret://dear/shared secret://other/foreign", "web")
      asked.length = 0
      yield* (yield* SecretResolver).forget("fs")
      yield* resolve("secret://dear/own secret://dear/shared secret://other/foreign", "fs")
      assert.deepStrictEqual(asked, ["own", "shared"])
      yield* (yield* SecretResolver).forget("nobody")
      yield* resolve("secret://dear/own", "fs")
      assert.lengthOf(asked, 2)
    }).pipe(provided)
  })

  it.effect("can be forgotten while a request is under way", () => {
    const answer = Deferred.makeUnsafe<string>()
    const { asked, provided } = setUp(() => Deferred.await(answer))
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(resolve("secret://dear/x", "fs"), { startImmediately: true })
      yield* (yield* SecretResolver).forget("web")
      const second = yield* Effect.forkChild(resolve("secret://dear/x", "web"), { startImmediately: true })
      assert.deepStrictEqual(asked, ["x"])
      yield* (yield* SecretResolver).forget("fs")
      yield* Deferred.succeed(answer, "value-of-x")
      assert.strictEqual(yield* Fiber.join(first), "value-of-x")
      assert.strictEqual(yield* Fiber.join(second), "value-of-x")
      yield* resolve("secret://dear/x", "fs")
      assert.deepStrictEqual(asked, ["x", "x"])
      yield* resolve("secret://dear/x", "fs")
      assert.lengthOf(asked, 2)
    }).pipe(provided)
  })

  it.effect("get a rotated value after they were forgotten, and the old one stays masked", () => {
    const { provided, registered } = setUp(counting())
    return Effect.gen(function* () {
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-1")
      yield* (yield* SecretResolver).forget("fs")
      assert.strictEqual(yield* resolve("secret://dear/x"), "value-2")
      assert.deepStrictEqual(registered, [
        ["value-1", "fs"],
        ["value-2", "fs"]
      ])
    }).pipe(provided)
  })
})
