import { assert, describe, it } from "@effect/vitest"
import { heldByClient } from "../../../src/schemas/connection/Isolation.ts"
import { decode, entryErrors, entryWarnings, httpOf, serverOf, stdioOf, withServer } from "./decoding.ts"

const ADA = { principal: "p", session: "s", person: { issuer: "https://a.example", subject: "1", name: "ada" } }

const FILLED = "write {person}, {person.subject} or {person.id}"

describe("what is nearly {person}, in an entry of one person", () => {
  for (const written of [
    "{persn}",
    "{Person}",
    "{PERSON.ID}",
    "{ person }",
    "{person.sub}",
    "{person.name}",
    "{person_id}",
    "{personId}",
    "{preson}",
    "{persom}",
    "{person.subjct}"
  ]) {
    it(`is an error: ${written}`, () => {
      const [inArgs, ...more] = entryErrors(`{ command: "a", share: "person", args: ["--x", "/srv/${written}/y"] }`)
      assert.strictEqual(inArgs, `x.args[1]: holds ${written}, which is no placeholder: ${FILLED}`)
      assert.isEmpty(more)
      assert.lengthOf(entryErrors(`{ command: "a", share: "person", env: { X: "{person}/${written}" } }`), 1)
      const [inHeader] = entryErrors(
        `{ url: "https://a.example/", share: "person", headers: { X: "secret://file/run/${written}/k" } }`
      )
      assert.match(inHeader!, /is no placeholder/)
    })
  }
})

describe("{person} where nothing is filled in", () => {
  const idle = (entry: string) => entryErrors(entry).join("; ")

  it("is an error in url, command, cwd, sandbox and auth, which says where to write it", () => {
    assert.strictEqual(
      idle(`{ url: "https://a.example/{person}", share: "person" }`),
      'x.url: holds {person}, which is filled in only in "headers": name the person there'
    )
    assert.match(
      idle(
        `{ url: "https://a.example/", auth: { type: "oauth", per: "person", clientId: "a", clientSecret: "secret://file/{person}" } }`
      ),
      /x\.auth\.clientSecret: holds/
    )
    for (const key of [
      `cwd: "/srv/{person}"`,
      `cwd: "/srv/{Person.ID}"`,
      `sandbox: { filesystem: { write: ["/srv/{person}"] } }`
    ]) {
      assert.match(
        idle(`{ command: "a", share: "person", ${key} }`),
        /only in "env" and "args": name the person there$/
      )
    }
    assert.match(idle(`{ command: "/srv/{person}/a", share: "person" }`), /^x\.command: /)
  })

  it("is an error in an entry that is not one person's", () => {
    for (const share of ["", `share: true,`, `share: "client",`, `share: "session",`]) {
      for (const written of ["{person}", "{person.id}"]) {
        assert.strictEqual(
          idle(`{ command: "a", ${share} args: ["${written}"] }`),
          `x.args[0]: holds ${written}, which is filled in only for a server that each person has alone: set "share": "person"`
        )
      }
    }
    assert.match(
      idle(`{ url: "https://a.example/", headers: { "X-User": "{person}" } }`),
      /^x\.headers\.X-User: .*"share"/
    )
  })

  it("is an error whose advice leads to no other one", () => {
    assert.strictEqual(
      idle(`{ url: "https://a.example/{person}" }`),
      'x.url: holds {person}, which is filled in only in "headers": name the person there, and set "share": "person"'
    )
    for (const [written, next] of [
      ["{person}/{persn}", "holds {persn}, which is no placeholder"],
      ["secret://env/T_{person}", "a secret://env reference cannot hold {person}"]
    ] as const) {
      const errors = entryErrors(`{ command: "a", env: { X: "${written}" } }`)
      assert.match(errors[0]!, /set "share": "person"$/)
      assert.include(errors[1], next)
      assert.deepStrictEqual(entryErrors(`{ command: "a", share: "person", env: { X: "${written}" } }`), [errors[1]!])
    }
  })

  it("is none in an entry that is switched off", () =>
    assert.strictEqual(idle(`{ command: "a", enabled: false, args: ["{person}"] }`), ""))
})

describe("braces that mean something else", () => {
  for (const written of [
    "{name}",
    "{user}",
    "{version}",
    "{session}",
    "{reason}",
    "{persona}",
    "{id}",
    "{}",
    '{\\"person\\":\\"ada\\"}',
    "{person: 1}",
    "{persons}",
    "{parson}",
    "${PERSON:-x}",
    "${person}",
    "Hello {{person.name}}",
    "Hello {{person}}",
    "{{ person }}",
    "{{Person}} {{persn}}"
  ]) {
    it(`are accepted: ${written}`, () => {
      for (const share of [true, '"person"']) {
        assert.isEmpty(
          entryErrors(
            `{ command: "a", share: ${share}, args: ["${written}"], cwd: "/srv/${written.replace(/["\\:${ ]/g, "")}" }`,
            { person: "x" }
          )
        )
      }
    })
  }

  it("are accepted in an entry that all share, even if they are nearly {person}", () => {
    for (const written of ["/people/{personId}/{persn}", "/people/{person_id}", "query { person }"]) {
      const entry = `{ command: "a", args: ["${written}"], cwd: "/srv/{person_id}" }`
      assert.isEmpty([...entryErrors(entry), ...entryWarnings(entry)], written)
    }
  })

  it("are a warning in an entry that all share where the person may be meant", () => {
    for (const written of ["{Person}", "{PERSON.ID}", "{person.sub}"]) {
      const entry = `{ command: "a", args: ["${written}"], cwd: "/srv/${written}" }`
      assert.isEmpty(entryErrors(entry))
      const said = `holds ${written}, which stays as it is: if the person is meant, write {person} in "env", "args" or "headers", and set "share": "person"`
      assert.deepStrictEqual(entryWarnings(entry), [`x.args[0]: ${said}`, `x.cwd: ${said}`])
    }
  })
})

describe("{person}", () => {
  const own = (entry: string) => heldByClient(serverOf(decode(withServer(entry))), "person", ADA)

  it("is filled in in the headers of an entry with a login for each person", () => {
    const server = own(
      `{ url: "https://a.example/", headers: { "X-User": "{person}" }, auth: { type: "oauth", per: "person" } }`
    )
    assert.deepStrictEqual(httpOf(server).headers, { "X-User": "ada" })
  })

  it("is filled in in a reference, with and without braces around it", () => {
    const { env } = stdioOf(
      own(
        `{ command: "a", share: "person", env: { A: "secret://file/run/{person}/key", B: "{secret://file/run/{person}/key}" } }`
      )
    )
    assert.deepStrictEqual(env, { A: "secret://file/run/ada/key", B: "{secret://file/run/ada/key}" })
  })
})
