import { assert, describe, it } from "@effect/vitest"
import { launchFor, placeholderFault, withSample } from "../../../src/schemas/connection/PersonPlaceholder.ts"
import type { StdioLaunch } from "../../../src/schemas/connection/ServerConfig.ts"
import { parse } from "../../../src/schemas/secret/SecretReference.ts"

const person = (name: string, subject = "42", issuer = "https://login.example.com") => ({ issuer, subject, name })

const stdio = (env: Record<string, string>, args: ReadonlyArray<string> = []): StdioLaunch => ({
  kind: "stdio",
  command: "server",
  args,
  env,
  cwd: undefined
})

/** What the variable is for this person; a problem is thrown. */
const filled = (text: string, name: string, subject?: string, issuer?: string): string => {
  const { launch, problem } = launchFor(stdio({ KEY: text }), person(name, subject, issuer))
  if (problem !== undefined) throw new Error(problem)
  return (launch as StdioLaunch).env["KEY"]!
}

describe("PersonPlaceholder", () => {
  it("fills in name, subject and id, in variables, arguments and headers", () => {
    assert.strictEqual(filled("{person}/{person.subject}", "ada@example.com", "7"), "ada@example.com/7")
    assert.match(filled("{person.id}", "ada"), /^[0-9a-f]{32}$/)
    const { launch } = launchFor(stdio({}, ["--home=/data/{person}"]), person("ada"))
    assert.deepStrictEqual((launch as StdioLaunch).args, ["--home=/data/ada"])
    const http = launchFor(
      { kind: "http", url: "https://x.example/", headers: { "x-user": "{person}" } },
      person("ada")
    )
    assert.deepInclude(http.launch, { headers: { "x-user": "ada" } })
  })

  it("doubled braces are those of other templates, and a reference in braces may end with two", () => {
    for (const text of ["Hello {{person}}", "{{person.id}}", "{{{person}}}"])
      assert.strictEqual(filled(text, "ada"), text)
    assert.strictEqual(filled("{secret://file/run/{person}}", "ada"), "{secret://file/run/ada}")
    assert.strictEqual(filled("{{person}/{person}}", "ada"), "{ada/ada}")
  })

  it("the id is of issuer and subject, never of the name", () => {
    const id = filled("{person.id}", "ada")
    assert.strictEqual(filled("{person.id}", "grace"), id)
    assert.notStrictEqual(filled("{person.id}", "ada", "43"), id)
    assert.notStrictEqual(filled("{person.id}", "ada", "42", "https://other.example.com"), id)
  })

  it("no name leaves its segment of a path: it is encoded, and different names stay different", () => {
    assert.strictEqual(filled("{person}", "Ada Lovelace"), "Ada=20Lovelace")
    assert.strictEqual(filled("{person}", "Ada=20Lovelace"), "Ada=3D20Lovelace")
    assert.strictEqual(filled("{person}", "Zoë"), "Zo=C3=AB")
    assert.strictEqual(filled("{person}", ".."), "=2E=2E")
    assert.strictEqual(filled("{person}", "."), "=2E")
    assert.strictEqual(filled("{person}", "-rf"), "=2Drf")
    assert.strictEqual(filled("{person}", "~"), "=7E")
    assert.strictEqual(filled("{person}", "{person.id}"), "=7Bperson.id=7D")
    assert.strictEqual(filled("{person}", "a:b#1"), "a=3Ab=231")
  })

  it("a name that is meant to lead elsewhere fails closed, with a sentence", () => {
    for (const [name, words] of [
      ["../root", "it contains a slash"],
      ["a\\b", "it contains a slash"],
      ["a\nb", "a character that cannot be seen"],
      ["a\u0000", "a character that cannot be seen"],
      ["a\u202eb", "a character that cannot be seen"],
      ["\ud800", "a character that cannot be seen"],
      ["", "it is empty"],
      ["x".repeat(300), "it has more than 128 characters"]
    ] as const) {
      const given = stdio({ KEY: "secret://vault/kv/{person}/token" })
      const { launch, problem } = launchFor(given, person(name))
      assert.include(problem, words)
      assert.notInclude(problem, "root")
      assert.strictEqual(launch, given)
    }
  })

  it("without a person nothing is filled in, and an entry without placeholders is what it was", () => {
    const named = launchFor(stdio({ KEY: "{person}" }), undefined)
    assert.include(named.problem, "is not known as a person")
    const plain = launchFor(stdio({ KEY: "{persona} {name}" }), undefined)
    assert.isUndefined(plain.problem)
    assert.deepInclude(plain.launch, { env: { KEY: "{persona} {name}" } })
  })

  it("in a reference a person is one segment, whatever their name, and never the name of a variable", () => {
    for (const name of ["ada@example.com", "Ada Lovelace", "..", "a,b", "a}b", "{secret://env/HOME}"]) {
      const text = (() => {
        try {
          return filled("{secret://vault/kv/mcp/{person}/token#3}", name)
        } catch {
          return undefined
        }
      })()
      if (text === undefined) continue
      const parsed = parse(text)
      assert.property(parsed, "parts")
      const references = "parts" in parsed ? parsed.parts.filter((part) => typeof part !== "string") : []
      assert.lengthOf(references, 1)
      assert.lengthOf(references[0]!.path.split("/"), 4)
      assert.isTrue(references[0]!.path.endsWith("/token"))
    }
    assert.include(placeholderFault("secret://env/TOKEN_{person}"), "cannot hold {person}")
    assert.include(placeholderFault("{secret://env/{person.id}}"), "cannot hold {person}")
    assert.isUndefined(placeholderFault("{secret://file/run/secrets/{person}}"))
    assert.include(launchFor(stdio({ KEY: "secret://env/T_{person}" }), person("ada")).problem, "secret://env")
    assert.strictEqual(withSample("{secret://vault/kv/{person}}"), "{secret://vault/kv/person}")
  })
})
