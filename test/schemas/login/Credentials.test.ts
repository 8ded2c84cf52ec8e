import { assert, describe, it } from "@effect/vitest"
import {
  identityKey,
  identityOf,
  readCredentials,
  scopesOf,
  secretsIn,
  type Credentials
} from "../../../src/schemas/login/Credentials.ts"
import { loginCommand } from "../../../src/schemas/connection/HttpError.ts"

const FULL: Credentials = {
  authorization: {
    issuer: "https://i.example",
    resource: "https://a.example/mcp",
    clientId: "c",
    tokens: { accessToken: "aaa", tokenType: "DPoP", refreshToken: "rrr", scopes: ["s"], expiresAt: 2, obtainedAt: 1 }
  },
  clients: { "https://i.example": { clientId: "c", clientSecret: "sss", redirectUri: "http://127.0.0.1:1/callback" } },
  wanted: ["w"],
  dpopKey: { kty: "EC", d: "ddd" }
}

describe("stored credentials", () => {
  it("are read back as they were written", () => {
    assert.deepStrictEqual(readCredentials(JSON.parse(JSON.stringify(FULL))), FULL)
  })

  it("are undefined when any part is invalid", () => {
    for (const change of [
      null,
      [],
      {},
      { ...FULL, clients: { a: 7 } },
      { ...FULL, wanted: "w" },
      { ...FULL, authorization: { issuer: "https://i.example" } },
      ...["a b", "a\r\nb: c", "é", "", "a".repeat(20_000), 7].map((accessToken) => ({
        ...FULL,
        authorization: { ...FULL.authorization, tokens: { ...FULL.authorization!.tokens, accessToken } }
      }))
    ]) {
      assert.isUndefined(readCredentials(change), JSON.stringify(change)?.slice(0, 80))
    }
  })

  it("list each secret in them", () => {
    assert.deepStrictEqual(secretsIn(FULL), { chosen: ["aaa", "rrr", "sss"], own: ["ddd"] })
  })
})

describe("the identity that credentials belong to", () => {
  const key = (server: string, url: string) => identityKey(identityOf(server, new URL(url)))

  it("depends on the server's name, origin, path and query only", () => {
    const base = key("a", "https://a.example/mcp?x=1")
    assert.strictEqual(key("a", "https://a.example/mcp?x=1#f"), base)
    for (const other of [
      key("b", "https://a.example/mcp?x=1"),
      key("a", "https://a.example/other?x=1"),
      key("a", "https://a.example/mcp?x=2"),
      key("a", "https://a.example:444/mcp?x=1"),
      key("a", "http://a.example/mcp?x=1")
    ]) {
      assert.notStrictEqual(other, base)
    }
  })

  it("does not contain the query", () => {
    assert.notInclude(identityOf("a", new URL("https://a.example/mcp?key=hunter2")).resource, "hunter2")
  })
})

describe("scopes of a text", () => {
  it("are well formed, and each is there once", () => {
    assert.deepStrictEqual(scopesOf('a b  a c:d "e" f\\g é'), ["a", "b", "c:d"])
    assert.deepStrictEqual(scopesOf(undefined), [])
  })
})

describe("the command for a login", () => {
  it("quotes the server's name for a shell", () => {
    assert.strictEqual(loginCommand("tickets"), "mcp-live login tickets")
    assert.strictEqual(loginCommand("my server"), "mcp-live login 'my server'")
    assert.strictEqual(loginCommand("a'; rm -rf ~; '"), `mcp-live login 'a'\\''; rm -rf ~; '\\'''`)
    assert.strictEqual(loginCommand("$(id)"), "mcp-live login '$(id)'")
    assert.strictEqual(loginCommand("-x"), "mcp-live login '-x'")
  })
})
