import { assert, describe, it } from "@effect/vitest"
import { DOOR_NAME_MAX_CHARS } from "../../../src/schemas/defaults/Listener.ts"
import { addressFault, hostFault, isLoopback, originFault } from "../../../src/schemas/listener/HttpAccess.ts"

describe("the address to listen on", () => {
  it("must be an IP address", () => {
    for (const good of ["127.0.0.1", "0.0.0.0", "192.168.1.2", "::1", "::", "fd00::1"]) {
      assert.isUndefined(addressFault(good), good)
    }
    for (const bad of [
      "",
      "localhost",
      "example.com",
      "127.1",
      "0x7f000001",
      "[::1]",
      "127.0.0.1:80",
      "fe80::1%eth0"
    ]) {
      assert.include(addressFault(bad), "must be an address of this machine", bad)
    }
  })

  it("is recognised as a loopback address", () => {
    for (const own of ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"]) assert.isTrue(isLoopback(own), own)
    for (const open of ["0.0.0.0", "::", "192.168.1.2", "8.8.8.8", "nonsense"]) assert.isFalse(isLoopback(open), open)
  })
})

describe("a host name that clients may use", () => {
  it("must be a host as in a URL, with or without a port", () => {
    for (const good of ["mcp.example.com", "mcp", "MCP.example.com:8443", "10.0.0.1", "[::1]:80", "my_service"]) {
      assert.isUndefined(hostFault(good), good)
    }
    const long = `${"a".repeat(DOOR_NAME_MAX_CHARS)}.com`
    for (const bad of [
      "",
      "*",
      "*.example.com",
      "https://a.com",
      "a.com/",
      "a b",
      "a.com:",
      ".com",
      "::1",
      "a@b",
      long
    ]) {
      assert.include(hostFault(bad), "must be a name as in a URL", bad)
    }
  })
})

describe("an allowed web origin", () => {
  it("must be an origin as a browser writes it", () => {
    for (const good of ["https://app.example.com", "http://localhost:6274", "http://[::1]:8080"]) {
      assert.isUndefined(originFault(good), good)
    }
    for (const [bad, words] of [
      ["*", "any page that somebody opens"],
      ["https://*.example.com", "any page that somebody opens"],
      ["null", "must be an origin, such as"],
      ["app.example.com", "must be an origin, such as"],
      ["file:///x", "must be an origin, such as"],
      ["https://app.example.com/", "must be an origin and nothing else: https://app.example.com"],
      ["https://app.example.com:443", "must be an origin and nothing else: https://app.example.com"],
      ["HTTPS://App.example.com", "must be an origin and nothing else: https://app.example.com"],
      ["https://app.example.com/path?x", "must be an origin and nothing else: https://app.example.com"]
    ] as const) {
      assert.include(originFault(bad), words, bad)
    }
  })
})
