import { assert, describe, it } from "@effect/vitest"
import { formProblem } from "../../../src/schemas/secret/ReferenceForm.ts"
import { parse } from "../../../src/schemas/secret/SecretReference.ts"

const problemOf = (text: string): string | undefined => {
  const parsed = parse(text)
  if ("malformed" in parsed) return assert.fail(text)
  const reference = parsed.parts.find((part) => typeof part !== "string")
  return reference === undefined ? assert.fail(text) : formProblem(reference)
}

describe("formProblem", () => {
  const NEVER: Readonly<Record<string, RegExp>> = {
    "secret://env/A/B": /name of an environment variable/,
    "secret://env/HOME#3": /no versions/,
    "secret://file/run/x#1": /no versions/,
    "secret://exec/m#2": /no versions/,
    "secret://vault/kv/app": /form secret:\/\/vault/,
    "secret://vault/kv/a/b#latest": /numbers from 1 on/,
    "secret://gcp/a/b": /form secret:\/\/gcp/,
    "secret://op/My Vault/x/y": /form secret:\/\/op.*braces/,
    "secret://op/a/b/c#1": /no versions/,
    "secret://keychain/a": /form secret:\/\/keychain/,
    "secret://keychain/a/b/c": /form secret:\/\/keychain/
  }
  for (const [text, why] of Object.entries(NEVER)) {
    it(`explains why ${text} can never work`, () => {
      assert.match(problemOf(text) ?? "", why)
    })
  }

  it("is undefined for possible references and unknown providers", () => {
    for (const text of [
      "secret://env/A_1",
      "secret://file/run/secrets/x",
      "secret://exec/m",
      "secret://vault/kv/a/b#3",
      "secret://gcp/a#latest",
      "secret://gcp/projects/p/secrets/a",
      "{secret://op/My Vault/x/y}",
      "secret://op/a/b/c/d",
      "secret://keychain/a/b",
      "secret://aws/a/b#AWSPREVIOUS",
      "secret://constructor/x#1"
    ]) {
      assert.isUndefined(problemOf(text), text)
    }
  })
})
