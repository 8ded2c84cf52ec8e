import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { dangerousVariable } from "../../../src/schemas/connection/DangerousEnvironment.ts"
import { parse, SECRET_PROVIDERS } from "../../../src/schemas/secret/SecretReference.ts"

/** What a text is taken apart into; references as `provider|path|version`. */
const partsOf = (text: string): ReadonlyArray<string> | string => {
  const parsed = parse(text)
  if ("malformed" in parsed) return parsed.malformed.detail
  return parsed.parts
    .map((part) => (typeof part === "string" ? part : [part.provider, part.path, part.version].join("|")))
    .filter((part) => part !== "")
}

describe("parse", () => {
  it("finds references in any text, with the parts around them", () => {
    for (const [text, ...parts] of [
      ["plain text", "plain text"],
      ["secret://env/TOKEN", "env|TOKEN|"],
      ["Bearer secret://env/TOKEN", "Bearer ", "env|TOKEN|"],
      ["secret://env/USER:secret://env/PASSWORD", "env|USER|", ":", "env|PASSWORD|"],
      ["https://a.example/?k=secret://env/KEY&x=1", "https://a.example/?k=", "env|KEY|", "&x=1"],
      ["https://{secret://env/TENANT}.example/", "https://", "env|TENANT|", ".example/"],
      ["secret://vault/kv/app/db/password#3", "vault|kv/app/db/password|3"],
      ["{secret://aws/prod/db:password}", "aws|prod/db:password|"],
      ["secret://aws/prod/db:password", "aws|prod/db|", ":password"],
      ["{secret://op/Private/GitHub bot/token}", "op|Private/GitHub bot/token|"],
      ["secret://file/C:/run/x", "file|C:/run/x|"],
      ["secret://env/USER@host", "env|USER|", "@host"]
    ] as const) {
      assert.deepStrictEqual(partsOf(text), parts, text)
    }
  })

  it("explains what is wrong with a malformed reference", () => {
    for (const [text, why] of [
      ["secret://env", /names no provider and path/],
      ["SECRET://env/X", /scheme is written in lower case/],
      ["secret://Vault/kv/x", /a provider is written in lower case/],
      ["secret://env/A?b", /put it in braces/],
      ["{secret://env/A", /closing brace is missing/],
      ["secret://file/../x", /must not contain \. or \.\./]
    ] as const) {
      assert.match(String(partsOf(text)), why, text)
    }
  })

  it("takes time in proportion to the text", () => {
    const size = 300_000
    for (const text of [
      "secret://".repeat(size / 9),
      `secret://env/${"a".repeat(size)}`,
      `{secret://env/${"a/".repeat(size / 2)}`,
      `secret://${"A-".repeat(size / 2)}/`,
      "{".repeat(size)
    ]) {
      parse(text)
    }
  })
})

describe("docs/secrets.md", () => {
  const page = readFileSync(new URL("../../../docs/secrets.md", import.meta.url), "utf8")
  const isPattern = (text: string) => /provider\/path|\$\{|…|secret:\/\/[`"]?$/.test(text)

  it("shows well-formed references of every provider", () => {
    const shown = [...page.matchAll(/\{?secret:\/\/[^"`\n]*/g)].map(([text]) => text).filter((text) => !isPattern(text))
    const providers = new Set<string>()
    for (const text of shown) {
      // The name of a person is put in before a reference is read.
      const parsed = parse(text.replaceAll("{person}", "ada"))
      assert.property(parsed, "parts", text)
      for (const part of "parts" in parsed ? parsed.parts : [])
        if (typeof part !== "string") providers.add(part.provider)
    }
    const without = SECRET_PROVIDERS.filter((provider) => !providers.has(provider))
    assert.deepStrictEqual(without, [], "providers without a reference on docs/secrets.md")
    const unlisted = SECRET_PROVIDERS.filter((provider) => !page.includes(`| \`${provider}\` |`))
    assert.deepStrictEqual(unlisted, [], "providers without a row in the table of docs/secrets.md")
  })

  it("lists the refused variables of env as the code does", () => {
    const rows = [...page.matchAll(/^\| ((?:load|make) [^|]*) \| (`[A-Z].*) \|$/gm)]
    assert.lengthOf(rows, 7)
    for (const [, reason, names] of rows) {
      for (const [, name] of names!.matchAll(/`([^`]+)`/g)) {
        assert.strictEqual(dangerousVariable(name!.replace("*", "X"), "linux"), reason, name)
      }
    }
  })
})
