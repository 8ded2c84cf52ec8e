import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { sealed, unsealed } from "../../../../src/layers/fleet/CallJournal/sealed.ts"

const KEY = randomBytes(32)
const ORIGIN = { session: "node-1.0f.random", request: 7 }
const PARAMS = { name: "mcp_files_read", arguments: { path: "private" } }

describe("arguments of a call in the database", () => {
  it("are read by who has the key, and show nothing", () => {
    const text = sealed(KEY, ORIGIN, JSON.stringify(PARAMS))
    assert.notInclude(Buffer.from(text, "base64url").toString("latin1"), "private")
    assert.deepStrictEqual<unknown>(unsealed(KEY, ORIGIN, text), PARAMS)
    assert.notStrictEqual(text, sealed(KEY, ORIGIN, JSON.stringify(PARAMS)))
  })

  it("are of no use for another request, with another key, or when they were changed", () => {
    const text = sealed(KEY, ORIGIN, JSON.stringify(PARAMS))
    const changed = Buffer.from(text, "base64url")
    changed[changed.length - 1]! ^= 1
    assert.isUndefined(unsealed(KEY, { ...ORIGIN, request: "7" }, text))
    assert.isUndefined(unsealed(KEY, { ...ORIGIN, session: "node-1.0f.other" }, text))
    assert.isUndefined(unsealed(randomBytes(32), ORIGIN, text))
    assert.isUndefined(unsealed(KEY, ORIGIN, changed.toString("base64url")))
    assert.isUndefined(unsealed(KEY, ORIGIN, ""))
    assert.isUndefined(unsealed(KEY, ORIGIN, sealed(KEY, ORIGIN, "no JSON")))
  })
})
