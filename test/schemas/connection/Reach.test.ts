import { assert, describe, it } from "@effect/vitest"
import { kindOfAddress } from "../../../src/schemas/connection/Address.ts"
import {
  blockedWords,
  forbiddenHost,
  forbiddenKind,
  ownReach,
  suppliedReach,
  type Forbidden,
  type Reach
} from "../../../src/schemas/connection/Reach.ts"

type Expected = Forbidden | "ok"

const host = (reach: Reach, url: string): Expected => forbiddenHost(reach, new URL(url)) ?? "ok"
const own = (url: string, allowPrivate = false): Expected => host(ownReach({ url: new URL(url), allowPrivate }), url)
const supplied = (url: string): Expected => host(suppliedReach(new URL(url)), url)
/** Where a look-up of the host of an operator's url leads. */
const led = (url: string, address: string, allowPrivate = false): Expected =>
  forbiddenKind(ownReach({ url: new URL(url), allowPrivate }), kindOfAddress(address)) ?? "ok"

describe("Reach: the url of a server entry, before DNS", () => {
  const rows: ReadonlyArray<readonly [url: string, plain: Expected, withLeave: Expected]> = [
    ["https://example.com/mcp", "ok", "ok"],
    ["https://8.8.8.8/mcp", "ok", "ok"],
    ["https://[2606:4700:4700::1111]/", "ok", "ok"],
    // This machine, written as such, needs no leave and no TLS.
    ["http://127.0.0.1:3000/mcp", "ok", "ok"],
    ["http://127.8.9.1/", "ok", "ok"],
    ["http://2130706433/", "ok", "ok"],
    ["http://[::1]:3000/", "ok", "ok"],
    ["http://[::ffff:127.0.0.1]/", "ok", "ok"],
    ["http://localhost:3000/mcp", "ok", "ok"],
    ["http://localhost.:3000/mcp", "ok", "ok"],
    ["http://app.localhost/mcp", "ok", "ok"],
    ["https://localhost/mcp", "ok", "ok"],
    // What only looks like it does.
    ["http://[2002:7f00:1::]/", "reserved", "ok"],
    ["http://[64:ff9b::7f00:1]/", "reserved", "ok"],
    ["http://0.0.0.0:3000/", "unspecified", "ok"],
    ["http://10.0.0.5/mcp", "private", "ok"],
    ["https://10.0.0.5/mcp", "private", "ok"],
    ["https://192.168.1.1/mcp", "private", "ok"],
    ["https://169.254.1.1/", "linkLocal", "ok"],
    ["https://100.64.0.1/", "shared", "ok"],
    ["https://[fd00::1]/", "uniqueLocal", "ok"],
    ["https://db.internal/mcp", "localName", "ok"],
    ["http://printer.local/mcp", "localName", "ok"],
    // In the clear over a public network, never.
    ["http://8.8.8.8/mcp", "plaintext", "plaintext"],
    ["http://example.com/mcp", "plaintext", "ok"],
    // Metadata, only where it is what the url says.
    ["http://169.254.169.254/latest", "metadata", "ok"],
    ["https://[fd00:ec2::254]/", "metadata", "ok"],
    ["http://metadata.google.internal/", "metadata", "metadata"]
  ]
  for (const [url, plain, withLeave] of rows) {
    it(`${url}: ${plain}, with allowPrivate ${withLeave}`, () => {
      assert.strictEqual(own(url), plain)
      assert.strictEqual(own(url, true), withLeave)
    })
  }
})

describe("Reach: the addresses of a name", () => {
  it("are allowed when public over TLS or with allowPrivate, and never for metadata", () => {
    for (const [address, plain, withLeave] of [
      ["93.184.216.34", "ok", "ok"],
      ["127.0.0.1", "loopback", "ok"],
      ["10.0.0.1", "private", "ok"],
      ["fd00::1", "uniqueLocal", "ok"],
      ["169.254.169.254", "metadata", "metadata"],
      ["::ffff:169.254.169.254", "metadata", "metadata"],
      ["no address", "unreadable", "unreadable"]
    ] as const) {
      assert.strictEqual(led("https://example.com/", address), plain, address)
      assert.strictEqual(led("https://example.com/", address, true), withLeave, address)
    }
  })

  it("of localhost are allowed on this machine only", () => {
    assert.strictEqual(led("http://localhost/", "127.0.0.1"), "ok")
    assert.strictEqual(led("http://localhost/", "::1"), "ok")
    assert.strictEqual(led("http://localhost/", "10.0.0.1"), "private")
    assert.strictEqual(led("http://localhost/", "93.184.216.34"), "plaintext")
  })

  it("of a private name over http are refused when they are public", () => {
    assert.strictEqual(led("http://tools.corp/", "10.0.0.1", true), "ok")
    assert.strictEqual(led("http://tools.corp/", "93.184.216.34", true), "plaintext")
  })

  it("for metadata are allowed when the url itself has the address and allowPrivate", () => {
    assert.strictEqual(led("http://169.254.169.254/", "169.254.169.254", true), "ok")
    assert.strictEqual(led("http://169.254.169.254/", "169.254.169.254"), "metadata")
  })
})

describe("Reach: a URL from a server", () => {
  it("may lead to public addresses over TLS only", () => {
    assert.strictEqual(supplied("https://auth.example.com/"), "ok")
    for (const [url, expected] of [
      ["http://auth.example.com/", "plaintext"],
      ["http://localhost:8080/", "loopback"],
      ["https://127.0.0.1/", "loopback"],
      ["https://10.0.0.1/", "private"],
      ["https://[::ffff:10.0.0.1]/", "private"],
      ["https://db.internal/", "localName"],
      ["http://169.254.169.254/latest/meta-data/", "metadata"],
      ["https://metadata.google.internal/", "metadata"]
    ] as const) {
      assert.strictEqual(supplied(url), expected, url)
    }
  })
})

describe("Reach: the error for a refused address", () => {
  it("offers allowPrivate where that would help", () => {
    for (const forbidden of ["loopback", "private", "localName", "unspecified", "reserved"] as const) {
      assert.isTrue(blockedWords(forbidden).openable)
    }
    for (const forbidden of ["metadata", "plaintext", "unreadable"] as const) {
      assert.isFalse(blockedWords(forbidden).openable)
    }
  })
})

describe("Reach: a server that must not lead to this machine", () => {
  const url = new URL("https://app.example.com/mcp")
  const reach = ownReach({ url, allowPrivate: true, denyLoopback: true })

  it("is refused loopback addresses under any name, while private ones stay allowed", () => {
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"]) {
      assert.isDefined(forbiddenKind(reach, kindOfAddress(address)), address)
    }
    assert.isUndefined(forbiddenKind(reach, kindOfAddress("10.0.0.1")))
    assert.strictEqual(forbiddenHost(reach, new URL("http://localhost/")), "loopback")
  })

  it("has no offer of allowPrivate in the error", () => {
    assert.isFalse(blockedWords("loopback", { denyLoopback: true }).openable)
    assert.isTrue(blockedWords("loopback", { denyLoopback: false }).openable)
  })
})
