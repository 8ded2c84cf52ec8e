import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { windowsOf } from "../../../../src/layers/content/Redactor/windows.ts"
import { SECRET_WINDOW_CHARS } from "../../../../src/schemas/defaults/Secrets.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { inFull, rowsInFull, some } from "../../../support/full.ts"
import { FORMS, LISTS } from "../../../support/secretForms.ts"

const MASK = "[REDACTED]"

const redactorOf = (...values: ReadonlyArray<string>) => {
  const redactor = Effect.runSync(Redactor.pipe(Effect.provide(RedactorLayer.layer)))
  for (const value of values) redactor.register(value)
  return redactor
}

/** Nothing that a form could merge with. */
const filler = (length: number) => "All is well here. ".repeat(Math.ceil(length / 18)).slice(0, length)

const turnsOf = <A>(turns: Generator<undefined, A>): { readonly value: A; readonly count: number } => {
  for (let count = 0; ; count++) {
    const turn = turns.next()
    if (turn.done === true) return { value: turn.value, count }
  }
}

const VALUES = {
  "a token": 'tok-"ü/8fZ9\\k+Q',
  "one of 300 characters": `9f"ä${"K3y/+zQ%".repeat(36)}end`,
  "one of 5000 characters":
    `x/${Array.from({ length: 1250 }, (_, index) => (index * 7919 + 1e5).toString(36)).join("")}`.slice(0, 5000)
}

/** Of a short form every place around a border is tried, of a long one so many of them. */
const PLACES = inFull(24, 3)

/** Longer than any overlap. */
const after = filler(4 * SECRET_WINDOW_CHARS)

describe("Redactor: a secret at the border of two windows", () => {
  const values = Object.entries(VALUES)
  for (const [name, value] of rowsInFull(values, values.slice(0, 2))) {
    it(`${name} is masked in every form as in a short text`, () => {
      const redactor = redactorOf(value)
      for (const [form, make] of Object.entries({ ...FORMS, ...LISTS })) {
        const made = `"${make(value)}" `
        assert.isTrue(redactor.holdsForeign(`${filler(SECRET_WINDOW_CHARS)}${made}`, "somebody"), form)
        const masked = made.length <= SECRET_WINDOW_CHARS ? redactor.redact(made) : undefined
        if (masked === undefined || !masked.includes(MASK)) continue
        // The first window ends, and the second one begins, within it, before it and behind it.
        for (const border of bordersOf(made.length)) {
          const before = filler(border)
          const found = redactor.redact(`${before}${made}${after}`)
          const shown = `${form}, ${border}`
          assert.isTrue(found === `${before}${masked}${after}`, shown)
        }
      }
    }, 120_000)
  }

  const bordersOf = (length: number): ReadonlyArray<number> => {
    const step = Math.max(1, Math.ceil((length + 16) / PLACES))
    const places: Array<number> = []
    for (let back = -8; back <= length + 8; back += step) places.push(SECRET_WINDOW_CHARS - back)
    return places
  }

  it("is found with a run of ignored characters inside it", () => {
    const redactor = redactorOf("secret-of-somebody")
    for (const nothing of ["\u200b", "\x1b", "\u{e0041}", "=\n", "\\\n", "=\r\n", "=\n\u200b\\\r\n"]) {
      for (const chars of [600, 5_000, 300_000]) {
        const gap = nothing.repeat(Math.ceil(chars / nothing.length))
        const text = `${filler(1_000)}secret-of${gap}-somebody${filler(100_000)}`
        const found = redactor.redact(text)
        const shown = `${JSON.stringify(nothing)} ${chars}`
        assert.isTrue(found === `${filler(1_000)}${MASK}${filler(100_000)}`, shown)
        assert.isTrue(redactor.holdsForeign(text, "x"), shown)
      }
    }
  })

  it("is found with ignored characters after each of its own, wherever a window ends", () => {
    const value = "sk-live-0123456789abcdefghijABCDEFGHIJKLMNOP"
    const redactor = redactorOf(value)
    const forms = rowsInFull(
      [FORMS["as it is"]!, FORMS["hex"]!, FORMS["URL-encoded wholly"]!],
      [FORMS["as it is"]!, FORMS["hex"]!]
    )
    for (const nothing of ["\u200b", "\u00ad", "\x1b", "\u{e0041}", "=\n", "\\\r\n"]) {
      for (const count of some([1, 2, 30, 100, 300, 600], 3)) {
        for (const form of forms) {
          const made = Array.from(form(value)).join(nothing.repeat(count))
          for (const share of rowsInFull([0, 0.3, 0.6, 1], [0.3, 0.6])) {
            const border = 2 * SECRET_WINDOW_CHARS - Math.round(made.length * share)
            if (border < 0) continue
            const text = `${filler(border)}${made}${after}`
            const shown = `${JSON.stringify(nothing)} ${count} ${share}`
            assert.isTrue(redactor.redact(text) === `${filler(border)}${MASK}${after}`, shown)
            assert.isTrue(redactor.holdsForeign(text, "x"), shown)
          }
        }
      }
    }
  }, 120_000)

  it("is found when it consists of invisible characters only", () => {
    const value = "\u200b\u200c\u200d\u200b\u200b\u2060\u200c\u200d"
    const redactor = redactorOf(value)
    const found = redactor.redact(`${filler(1000)}${`${value}\u200b`.repeat(20_000)}`)
    assert.notInclude(found, value)
  })

  it("is not foreign inside a value of the owner, also across a border", () => {
    const redactor = redactorOf()
    const [own, foreign] = [`own-${"abcdefgh".repeat(40)}-inner-secret-${"hgfedcba".repeat(40)}`, "inner-secret"]
    redactor.register(own, "me")
    redactor.register(foreign, "they")
    for (let back = 0; back < own.length + 8; back += inFull(3, 17)) {
      const text = `${filler(SECRET_WINDOW_CHARS - back)}${own}${filler(SECRET_WINDOW_CHARS)}`
      assert.isFalse(redactor.holdsForeign(text, "me"), String(back))
      assert.isTrue(redactor.holdsForeign(`${text}${foreign}`, "me"), String(back))
    }
  })

  it("is masked to its end as a list of bytes longer than a window", () => {
    const value = `!${VALUES["one of 5000 characters"].slice(0, 4000)}`
    const list = [...Buffer.from(value)].join(`,\n${" ".repeat(40)}`)
    const left = redactorOf(value).redact(`${filler(1000)}[${list}] ${filler(1000)}`)
    assert.isAtMost(left.match(/\d{2,3}/g)?.length ?? 0, 8)
  })

  it("is found after runs of backslashes of any length", () => {
    const redactor = redactorOf("secret-of-somebody")
    for (let back = 0; back < 24; back++) {
      const text = (run: number) => `${filler(1000 + back)}${"\\".repeat(run)}u0073ecret-of-somebody `
      // Of any number modulo eight: as far as escapes are undone.
      for (let more = 1; more <= 8; more++) {
        const [short, long] = [64 + more, 2 * SECRET_WINDOW_CHARS + more].map((run) => redactor.redact(text(run)))
        assert.isTrue(long!.includes(MASK) || !short!.includes(MASK), `${back} ${more}`)
      }
    }
  })
})

describe("Redactor: windows", () => {
  it("cover the whole text, overlap as far as asked, and have a limited length", () => {
    const text = filler(5 * SECRET_WINDOW_CHARS)
    for (const overlap of [100, 5_000, 80_000]) {
      let reached = 0
      for (const { origin, settled, text: part } of windowsOf(text, overlap, false)) {
        const { end, start } = origin(0, part.length)
        assert.strictEqual(part, text.slice(start, end))
        assert.isAtMost(part.length, SECRET_WINDOW_CHARS + overlap + 512)
        assert.isAtMost(start, reached)
        if (end < text.length) assert.isAtLeast(end - settled, overlap)
        reached = settled
      }
      assert.strictEqual(reached, text.length)
    }
  })

  it("are at most as many as for plain text, whatever the characters", () => {
    const redactor = redactorOf("canary-canary-0123")
    const size = inFull(4e6, 1e6)
    const count = (unit: string) => turnsOf(redactor.redactInTurns(unit.repeat(Math.ceil(size / unit.length)))).count
    const plain = count("a ")
    assert.isAtMost(plain, size / SECRET_WINDOW_CHARS + 1)
    for (const unit of ["\x1b[", "%25", "\\u0041", "\\", "&amp;", "115, ", "\u200b", "=\n", "canary-canary-0123 "]) {
      assert.isAtMost(count(unit), plain, unit)
    }
  })

  it("return the same string where nothing is found", () => {
    const text = filler(1e6)
    for (const redactor of [redactorOf("canary-canary-0123"), redactorOf()]) {
      assert.isTrue(turnsOf(redactor.redactInTurns(text)).value === text)
      assert.isTrue(redactor.redact(text) === text)
      assert.isFalse(redactor.holdsForeign(text, "x"))
    }
  })
})
