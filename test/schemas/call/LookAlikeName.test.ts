import { assert, describe, it } from "@effect/vitest"
import { readsAs } from "../../../src/schemas/call/LookAlikeName.ts"

describe("readsAs", () => {
  it.each([
    ["send_email", "sendEmail"],
    ["send_email", "send-email"],
    ["send_email", "ѕеnd_еmаіl"],
    ["send_email", "ｓｅｎｄ＿ｅｍａｉｌ"],
    ["send_email", "se\u200bnd_em\u0301ail"],
    ["list", "1ist"],
    ["read_file", "READ.FILE"]
  ])("%s reads as %s", (a, b) => {
    assert.strictEqual(readsAs(a), readsAs(b))
  })

  it.each([
    ["read", "write"],
    ["list", "lists"],
    ["读", "写"]
  ])("%s does not read as %s", (a, b) => {
    assert.notStrictEqual(readsAs(a), readsAs(b))
  })
})
