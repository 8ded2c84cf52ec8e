import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import type { IncomingMessage } from "node:http"
import {
  passedHeaders,
  makePassedIn
} from "../../../../../../src/layers/listener/McpListener/http/elsewhere/peerHeaders.ts"

const NODE = { name: "b", incarnation: "1" }
const identity = {
  client: "editor",
  person: { issuer: "https://login.example.com", subject: "1", name: "ada" },
  groups: ["staff"],
  roles: [],
  scopes: [],
  claims: { sub: "1" }
}
const passedIn = makePassedIn()
const requestWith = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage
const passed = (who: Parameters<typeof passedHeaders>[1], sent: Record<string, string> = {}) =>
  passedIn(requestWith(passedHeaders(requestWith(sent), who, NODE, false)), NODE)

describe("who a request of another node is for", () => {
  it("is what the first node has found, and the same object for each request with the same token", () => {
    const who = { principal: "ada by editor 1", agent: "main", identity }
    assert.deepStrictEqual(passed(who)?.who, who)
    assert.strictEqual(passed(who)?.who.identity, passed(structuredClone(who))?.who.identity)
    assert.notStrictEqual(
      passed(who)?.who.identity,
      passed({ ...who, identity: { ...identity, groups: [] } })?.who.identity
    )
  })

  it("is nothing that a client says itself", () => {
    const forged = passedHeaders(requestWith({}), { principal: "operator", agent: undefined }, NODE, true)
    const found = passed({ principal: "client laptop", agent: undefined }, forged)
    assert.strictEqual(found?.who.principal, "client laptop")
    assert.isFalse(found?.take)
    assert.isUndefined(passedIn(requestWith({ ...forged, "x-mcp-live-node": "x" }), NODE))
  })

  it("comes with the access token of the request, and with none that a client puts beside it", () => {
    const who = { principal: "ada by editor 1", agent: "main", identity }
    const bearer = { token: Redacted.make("a token"), expiresAt: 7 }
    const headers = passedHeaders(requestWith({ authorization: "Bearer a token" }), who, NODE, false, bearer)
    assert.isUndefined(headers["authorization"])
    const found = passedIn(requestWith(headers), NODE)?.bearer
    assert.deepStrictEqual([found && Redacted.value(found.token), found?.expiresAt], ["a token", 7])
    assert.isUndefined(passed(who, headers)?.bearer)
  })
})
