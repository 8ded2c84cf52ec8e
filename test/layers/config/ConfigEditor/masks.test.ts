import { assert, describe, it } from "@effect/vitest"
import JSON5 from "json5"
import * as Result from "effect/Result"
import { makeMasks } from "../../../../src/layers/config/ConfigEditor/masks.ts"

const KNOWN = "Kn0wn-Secret-Value"
const masks = () => makeMasks((text) => text.replaceAll(KNOWN, "[REDACTED]"))
const hidden = (one: ReturnType<typeof masks>, text: string) => Result.getOrThrow(one.hide(text))
const revealed = (one: ReturnType<typeof masks>, text: string) => Result.getOrThrow(one.reveal(text))

const FILE = `{
  // the key was ${KNOWN} once
  "mcp": {
    "servers": {
      tickets: {
        url: 'https://tickets.example/mcp', // a note
        headers: { "Authorization": "Bearer sk-live-9f8e7d6c5b4a" },
      },
      "files": {
        command: "npx",
        args: ["-y", "server", "--token", "tok_1234567890abcdef"],
        env: { API_KEY: "key_abcdef1234567890", LEVEL: "debug", DATABASE_PASSWORD: "secret://file/db" },
      },
      /* and ${KNOWN} here */
      other: { command: "a", env: { SHARED: "x ${KNOWN} y" } },
    },
  },
}
`

const SECRETS = [KNOWN, "sk-live-9f8e7d6c5b4a", "tok_1234567890abcdef", "key_abcdef1234567890"]

describe("the masks of a configuration", () => {
  it("hide what is known as a secret, and what looks like a credential where it stands", () => {
    const { masked, text } = hidden(masks(), FILE)
    for (const secret of SECRETS) assert.notInclude(text, secret)
    assert.strictEqual(masked, 6)
  })

  it("leave everything else as it is: references, comments, order and ordinary values", () => {
    const { text } = hidden(masks(), FILE)
    for (const kept of ["secret://file/db", "// a note", '"debug"', "tickets.example", '"--token"']) {
      assert.include(text, kept)
    }
    assert.deepStrictEqual(Object.keys(JSON5.parse(text).mcp.servers), ["tickets", "files", "other"])
  })

  it("give the very same text back", () => {
    const one = masks()
    assert.strictEqual(revealed(one, hidden(one, FILE).text), FILE)
  })

  it("stay with their values when the text around them changes, and are the same each time", () => {
    const one = masks()
    const { text } = hidden(one, FILE)
    assert.strictEqual(hidden(one, FILE).text, text)
    const edited = text.replace('LEVEL: "debug", ', "").replace("{", '{ "more": 1,')
    assert.strictEqual(revealed(one, edited), FILE.replace('LEVEL: "debug", ', "").replace("{", '{ "more": 1,'))
  })

  it("refuse a placeholder that is unknown, changed or in an impossible place", () => {
    const one = masks()
    const { text } = hidden(one, FILE)
    const mark = /\[MASKED-[0-9a-f]{8}\]/.exec(text)![0]
    for (const wrong of [
      text.replace(mark, "[MASKED-00000000]"),
      text.replace('"[MASKED-', '"Bearer [MASKED-'),
      `{ "a": "${mark}" }`
    ]) {
      assert.isTrue(Result.isFailure(one.reveal(wrong)), wrong)
    }
    assert.isTrue(Result.isFailure(masks().reveal(text)), "of another process")
  })

  it("are absent from a text without secrets", () => {
    const plain = '{ mcp: { servers: { a: { command: "x" } } } }'
    assert.deepStrictEqual(hidden(masks(), plain), { text: plain, masked: 0 })
    assert.deepStrictEqual(hidden(masks(), ""), { text: "", masked: 0 })
  })

  it("give up where a secret cannot be replaced by a mark", () => {
    const numbers = makeMasks((text) => text.replaceAll("1234567890", "[REDACTED]"))
    assert.isTrue(Result.isFailure(numbers.hide("{ a: 1234567890 }")))
  })

  it("give up where a text does not parse, because nobody can tell what is a credential by its place", () => {
    const entry = '{ command: "x", args: ["--token", "tok_1234567890abcdef"] }'
    const url = '{ url: "https://h.example/mcp?api_key=key_abcdef1234567890" }'
    for (const text of [
      `{ mcp: { servers: { a: ${entry} }`,
      `{ mcp: { servers: { a: ${url}, oops`,
      `a:\n  b: [--token, x]`
    ]) {
      assert.include(Result.getOrThrow(Result.flip(masks().hide(text))), "not valid JSON5")
    }
  })
})
