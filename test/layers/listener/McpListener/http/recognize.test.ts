import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { makeRecognize } from "../../../../../src/layers/listener/McpListener/http/recognize.ts"
import { makeTokens } from "../../../../../src/layers/listener/McpListener/http/tokens.ts"
import { CALLS } from "../../../../../src/layers/listener/McpListener/requests/intake.ts"
import { makeClientQuotas } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import type { Verified } from "../../../../../src/services/login/TokenVerifier.ts"

const holders = makeClientQuotas(["me"], CALLS)
const whoHolds = makeTokens([{ token: Redacted.make("mine"), principal: "me" }])
const known = (token: string) => (token === "checked" ? ({ principal: "ada" } as Verified) : undefined)
const recognize = makeRecognize(whoHolds, holders, { known })

const headWith = (...fields: ReadonlyArray<string>) =>
  Buffer.from(["POST /mcp HTTP/1.1", "host: a", ...fields, "", ""].join("\r\n"))

const whose = (...fields: ReadonlyArray<string>) => recognize(headWith(...fields))?.whose

describe("a new connection", () => {
  it("has the turns and the rate of the client whose token it begins with", () => {
    const found = recognize(headWith("authorization: Bearer mine", "accept: a"))
    assert.deepStrictEqual(found, { whose: "me", rate: holders.of("me").pace.rate })
    assert.strictEqual(whose("x: y", "AUTHORIZATION:bearer  mine "), "me")
  })

  it("has those of a person whose token was checked before", () => {
    assert.strictEqual(whose("authorization: Bearer checked"), "ada")
  })

  it("has nobody's where there is no token, another one, another scheme, or one in the body", () => {
    assert.isUndefined(whose())
    assert.isUndefined(whose("authorization: Bearer others"))
    assert.isUndefined(whose("authorization: DPoP checked"))
    assert.isUndefined(whose("x-authorization: Bearer mine"))
    assert.isUndefined(recognize(Buffer.concat([headWith(), Buffer.from("\r\nauthorization: Bearer mine\r\n")])))
    assert.isUndefined(makeRecognize(whoHolds, holders, undefined)(headWith("authorization: Bearer checked")))
    assert.isUndefined(recognize(Buffer.from("POST /mcp HTTP/1.1\r\nhost: a\r\nauthor")))
  })
})
