import { assert, describe, it } from "@effect/vitest"
import type { AuthorizationServer } from "../../../../src/layers/login/Authorizer/documents.ts"
import {
  carriesState,
  readPasted,
  readRedirect,
  type Expected
} from "../../../../src/layers/login/Authorizer/redirect.ts"

const ISSUER = "https://issuer.example"
const STATE = "a-state-of-ours"

const expected = (namesItself: boolean): Expected => ({
  state: STATE,
  authorizationServer: { issuer: ISSUER, namesItself } as AuthorizationServer,
  tidy: (text) => `<${text}>`
})
const params = (fields: Record<string, string>) => new URLSearchParams(fields)
const problemOf = (redirect: ReturnType<typeof readRedirect>) =>
  "problem" in redirect ? [redirect.problem.detail, redirect.problem.said].join(" ") : undefined

describe("the iss parameter of an authorization response (RFC 9207)", () => {
  for (const [namesItself, iss, fine] of [
    [true, ISSUER, true],
    [true, undefined, false],
    [true, "https://evil.example", false],
    [false, undefined, true],
    [false, ISSUER, true],
    [false, "https://evil.example", false],
    [false, "", false],
    [true, `${ISSUER}/`, false],
    [true, ISSUER.toUpperCase(), false]
  ] as const) {
    it(`${iss ?? "none"} is ${fine ? "fine" : "refused"} where it is ${namesItself ? "" : "not "}promised`, () => {
      const answer = readRedirect(params({ code: "c", ...(iss === undefined ? {} : { iss }) }), expected(namesItself))
      assert.strictEqual("code" in answer, fine)
    })
  }

  it("is checked first, so that an error from another issuer is not shown", () => {
    const evil = params({ error: "e", error_description: "evil words", iss: "https://evil.example" })
    assert.notInclude(problemOf(readRedirect(evil, expected(false))), "evil")
    const twice = new URLSearchParams(`code=c&iss=${ISSUER}&iss=${ISSUER}`)
    assert.isDefined(problemOf(readRedirect(twice, expected(true))))
  })

  it("may come with an error, whose text is cleaned", () => {
    const answer = readRedirect(params({ error: "access_denied", error_description: "no\u001b[31m" }), expected(false))
    assert.include(problemOf(answer), "<access_denied>: <no\u001b[31m>")
  })
})

describe("the state of an authorization response", () => {
  it("must be present once and equal to ours", () => {
    assert.isTrue(carriesState(params({ state: STATE }), STATE))
    for (const query of ["", "state=", "state=other", `state=${STATE}x`, `state=${STATE}&state=${STATE}`]) {
      assert.isFalse(carriesState(new URLSearchParams(query), STATE), query)
    }
  })
})

describe("a pasted authorization response", () => {
  it("is the whole redirect address or its query", () => {
    for (const text of [
      `http://127.0.0.1:1/callback?code=c&state=${STATE}&iss=${encodeURIComponent(ISSUER)}`,
      `  ?code=c&state=${STATE}&iss=${encodeURIComponent(ISSUER)}\n`,
      `code=c&state=${STATE}&iss=${encodeURIComponent(ISSUER)}`
    ]) {
      assert.deepStrictEqual(readPasted(text, expected(true)), { code: "c", iss: ISSUER })
    }
  })

  it("is refused without our state", () => {
    for (const text of ["http://127.0.0.1:1/callback?code=c", `https://x.example/?code=c&state=other`, "code=c"]) {
      assert.include(problemOf(readPasted(text, expected(false))), "does not belong")
    }
  })

  it("may be the code alone only if the server promises no issuer", () => {
    assert.deepStrictEqual(readPasted("a-code", expected(false)), { code: "a-code", iss: undefined })
    assert.include(problemOf(readPasted("a-code", expected(true))), "whole address")
  })

  it("is refused when it is empty, too long or not readable", () => {
    for (const text of ["", "  ", "x".repeat(100_000), "two words"]) {
      assert.isDefined(problemOf(readPasted(text, expected(false))), text.slice(0, 20))
    }
  })
})
