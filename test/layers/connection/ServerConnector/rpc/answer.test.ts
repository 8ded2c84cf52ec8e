import { assert, describe, it } from "@effect/vitest"
import { readAnswer } from "../../../../../src/layers/connection/ServerConnector/rpc/answer.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../../../../src/schemas/defaults/Results.ts"
import { CUT_MARGIN_CHARS } from "../../../../../src/schemas/defaults/Texts.ts"
import type { Finding } from "../../../../../src/schemas/content/Finding.ts"
import { ProtocolError } from "../../../../../src/schemas/connection/RequestError.ts"

const DIGITS = "739104826455"
const tidy = (text: string, maxChars: number) =>
  text.replaceAll(/evil/g, "[CLEANED]").replaceAll(DIGITS, "[MASKED]").slice(0, maxChars)

const errorOf = (error: object): ProtocolError => {
  const outcome = readAnswer({ error }, "fs", tidy, undefined)
  if (outcome.ok || !(outcome.error instanceof ProtocolError)) throw new Error("no ProtocolError")
  return outcome.error
}

describe("readAnswer: the error of a server", () => {
  it("keeps findings that were made before its message was sanitized", () => {
    const found: ReadonlyArray<Finding> = [{ kind: "ansi", detail: "terminal escape sequences", count: 1 }]
    let longest = 0
    const listening = Object.assign((text: string, maxChars: number) => tidy(text, maxChars), {
      findingsIn: (text: string) => {
        longest = Math.max(longest, text.length)
        return text.includes("evil") ? found : []
      }
    })
    const of = (message: string) => {
      const outcome = readAnswer({ error: { code: 1, message } }, "fs", listening, undefined)
      if (outcome.ok || !(outcome.error instanceof ProtocolError)) throw new Error("no ProtocolError")
      return outcome.error
    }
    assert.deepStrictEqual(of("evil words").findings, found)
    assert.notProperty(of("good words"), "findings")
    of("x".repeat(1_000_000))
    assert.isAtMost(longest, ERROR_TEXT_MAX_CHARS + CUT_MARGIN_CHARS)
  })

  it("drops its data, except supported protocol versions", () => {
    for (const code of [-32000, -32602, "x"]) assert.notProperty(errorOf({ code, message: "m", data: "evil" }), "data")
    const versions = (data: unknown) => errorOf({ code: -32022, message: "m", data }).data
    assert.deepStrictEqual(versions({ supported: ["2026-07-28", "evil", 7, "2099-01-01"], requested: "evil" }), {
      supported: ["2026-07-28", "2099-01-01"]
    })
    for (const data of [undefined, null, "evil", ["2026-07-28"], { supported: "evil" }, { supported: { evil: 1 } }]) {
      assert.deepStrictEqual(versions(data), { supported: [] })
    }
    const many = versions({ supported: Array.from({ length: 100_000 }, () => "2099-01-01") })
    assert.isAtMost(JSON.stringify(many).length, 2_000)
  })

  it("has a sanitized message, and no code that may be a secret", () => {
    assert.strictEqual(errorOf({ code: -32000, message: "evil words" }).detail, "[CLEANED] words")
    assert.strictEqual(errorOf({ code: -32602, message: "m" }).code, -32602)
    for (const code of [Number(DIGITS), DIGITS, Number.NaN, "evil", {}, null]) {
      assert.isNull(errorOf({ code, message: "m" }).code)
    }
  })
})
