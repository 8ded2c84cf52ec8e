import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { hasMaskForValue, isMask } from "../../../src/schemas/secret/Masks.ts"
import { inFull } from "../../support/full.ts"

const OURS = ["[REDACTED]", "__OPENCLAW_REDACTED__", "<redacted>", "<redacted:api key>"]

describe("isMask: a value of a configuration", () => {
  it("is a mask of ours, with a scheme or white space around it", () => {
    for (const mask of OURS) {
      for (const value of [mask, ` ${mask}\n`, `${mask}${mask}`, `Bearer ${mask}`, `basic  ${mask}`])
        assert.isTrue(isMask(value), value)
    }
  })

  it("is a mask when it is a printed Redacted", () => {
    assert.isTrue(isMask(String(Redacted.make("x"))))
    assert.isTrue(isMask(String(Redacted.make("x", { label: "token" }))))
  })

  it("is a mask of another program", () => {
    const shown = [
      "***",
      "********",
      "*".repeat(40),
      "••••••",
      "●●●●",
      "****************ABCD",
      "sk*******",
      "ghp_****************",
      "sk-ab*****wxyz",
      "XXXXXXXXXXXX",
      "***REDACTED***",
      "**hidden**",
      "Bearer ***",
      "__VENDOR_REDACTED__",
      "[FILTERED]",
      "[Filtered]",
      "[Redacted]",
      "[MASKED]",
      "<hidden>",
      "(sensitive value)",
      "<secret>",
      "[ redacted ]",
      "REDACTED",
      "DATA+OMITTED"
    ]
    for (const value of shown) assert.isTrue(isMask(value), value)
  })

  it("is a value otherwise", () => {
    const values = [
      "",
      " ",
      "*",
      "**",
      "**/*.ts",
      "*.example.org",
      "a***",
      "***b".repeat(3),
      "secret",
      "hidden",
      "redacted",
      "xxxx",
      "my [REDACTED] text",
      "[REDACTED",
      "REDACTED]",
      "prefix-[REDACTED]",
      "[redacted-service]",
      "{secret}",
      "Bearer",
      "secret://env/TOKEN",
      "Bearer secret://env/TOKEN",
      "${TOKEN}",
      "password",
      "[x]",
      "<html>",
      "[hidden=true]"
    ]
    for (const value of values) assert.isFalse(isMask(value), value)
  })
})

describe("hasMaskForValue: a text of arguments", () => {
  it("has a mask when it is only a mask", () => {
    for (const mask of OURS) {
      for (const text of [mask, `\n${mask} `, `${mask}\n${mask}`, `Bearer ${mask}`])
        assert.isTrue(hasMaskForValue(text), text)
    }
  })

  it("has a mask in the place of a value", () => {
    for (const mask of OURS) {
      const texts = [
        `TOKEN=${mask}`,
        `A=1\nTOKEN=${mask}\nB=2`,
        `run --token ${mask} now`,
        `curl -H "Authorization: Bearer ${mask}" x`,
        `password=${mask} ok`,
        `Password: ${mask}`,
        `its password: ${mask}`,
        `--api-key "${mask}"`,
        `name: x\n- path: ${mask}`,
        `TOKEN="${mask}"`,
        `export TOKEN='${mask}'; run`,
        `T=${mask} # why`,
        `token: ${mask}`,
        `a:\n  token: ${mask}\n  b: 1`,
        `Authorization: Bearer ${mask}`,
        `token:\t"${mask}"`,
        `{"token": "${mask}"}`,
        `{"token":"${mask}","a":1}`,
        JSON.stringify(`{"a":"${mask}"}`),
        `{token: ${mask}}`,
        `os.environ["API_KEY"] = '${mask}'`,
        `token: string = "${mask}"`,
        `postgres://app:${mask}@host/db`,
        `https://x.example/?a=1&key=${mask}&b=2`,
        `https://x.example/?key=${mask}`,
        `<key>${mask}</key>`,
        `key = ${mask}`,
        `key=${mask}\r\n`,
        `a=1, key=${mask}, b=2`,
        `KEY=${mask}${mask}`,
        `"KEY=${mask}\\n"`
      ]
      for (const text of texts) assert.isTrue(hasMaskForValue(text), text)
    }
  })

  it("that is only a mask has one unless the argument's name means a search or a path", () => {
    for (const key of [
      "token",
      "apiKey",
      "PASSWORD",
      "value",
      "content",
      "text",
      "data",
      "new_text",
      "newText",
      "body"
    ])
      assert.isTrue(hasMaskForValue("[REDACTED]", key), key)
    for (const key of ["DATABASE_URL", "new_string", "file_text"])
      assert.isTrue(hasMaskForValue("[REDACTED]", key), key)
    for (const key of ["query", "pattern", "search", "old_text", "old_string", "name", "path", "URL"])
      assert.isFalse(hasMaskForValue("[REDACTED]", key), key)
    assert.isTrue(hasMaskForValue("TOKEN=[REDACTED]", "query"))
  })

  it("has no mask in prose and code about masks", () => {
    for (const mask of OURS) {
      const texts = [
        `the field shows ${mask} in the log`,
        `${mask} was written where the key should be`,
        `it ends with ${mask}`,
        `why does it say ${mask}?`,
        `We replace it by \`${mask}\`.`,
        `The log says "${mask}" there`,
        `const MASK = "${mask}"`,
        `const REDACTED: string = '${mask}'`,
        `PLACEHOLDER=${mask}`,
        `return text.replace(secret, "${mask}")`,
        `["${mask}"]`,
        `if (value === "${mask}") skip()`,
        `Note: ${mask}`,
        `What it said was: ${mask}.`,
        `it said then: ${mask}`,
        `run --name ${mask}`,
        `<code>${mask}</code>`,
        `see the log: ${mask} is what it says`,
        `x=1 then ${mask} then y=2`,
        `a > ${mask} b`,
        `- ${mask}: the mask`,
        `| ${mask} | a cell |`,
        `${mask}, ${mask} and more`,
        `don't write ${mask} please`
      ]
      for (const text of texts) assert.isFalse(hasMaskForValue(text), text)
    }
  })

  it("has no mask of another program", () => {
    for (const text of ["***", "PASSWORD=***", "token: [FILTERED]", '"a": "REDACTED"', "A=<secret>", "x", ""])
      assert.isFalse(hasMaskForValue(text), text)
  })

  for (const unit of [
    "[REDACTED]",
    "=[REDACTED] ",
    "='[REDACTED] ",
    "=    ",
    "\"[REDACTED]'",
    "> ",
    "Bearer ",
    "<redacted:",
    "\\"
  ]) {
    it(`is searched to the end for many repetitions of ${unit}`, () => {
      assert.isBoolean(hasMaskForValue(`[REDACTED] x${unit.repeat(inFull(200_000, 20_000))}`))
    })
  }
})
