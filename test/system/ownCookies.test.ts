import { assert, describe, it } from "@effect/vitest"
import { ownCookies } from "../../src/system/ownCookies.ts"

const of = (page: string) => ownCookies(new URL(page))

describe("cookies of our own", () => {
  it("over https, have the prefix that no other host can give, and what browsers want for it", () => {
    const { attributes, nameOf } = of("https://mcp.example.com/page/")
    assert.match(nameOf("session"), /^__Host-session_[0-9a-f]{8}$/)
    assert.deepStrictEqual(attributes.split("; ").toSorted(), ["HttpOnly", "Path=/", "Secure"])
  })

  it("over https, are those of one gateway, also where others are at the same host", () => {
    const pages = ["mcp.example.com", "mcp.example.com:8443", "mcp.example.com/b", "other.example.com"]
    assert.lengthOf([...new Set(pages.map((place) => of(`https://${place}/page/`).nameOf("session")))], pages.length)
    assert.strictEqual(
      of("https://mcp.example.com/page/").nameOf("session"),
      of("https://mcp.example.com:443/page/").nameOf("session")
    )
  })

  it("over http, are for the page alone", () => {
    const { attributes, nameOf } = of("http://127.0.0.1:7730/page/")
    assert.strictEqual(nameOf("session"), "session")
    assert.strictEqual(attributes, "Path=/page/; HttpOnly")
  })
})
