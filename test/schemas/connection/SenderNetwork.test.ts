import { assert, describe, it } from "@effect/vitest"
import { networkOf } from "../../../src/schemas/connection/SenderNetwork.ts"

describe("what one sender has", () => {
  it("is an IPv4 address, however it is written", () => {
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:192.0.2.1", "::ffff:c000:201"]) {
      assert.strictEqual(networkOf(address), "192.0.2.1")
    }
  })

  it("is the /64 of an IPv6 address", () => {
    for (const [address, network] of [
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
      ["2001:DB8:1:2::6", "2001:db8:1:2::/64"],
      ["2001:0db8:0001:0002::6", "2001:db8:1:2::/64"],
      ["2001:db8::6", "2001:db8:0:0::/64"],
      ["2001:db8::2:3:4:5:6", "2001:db8:0:2::/64"],
      ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"],
      ["::1", "0:0:0:0::/64"]
    ] as const) {
      assert.strictEqual(networkOf(address), network)
    }
  })

  it("is what stands there where that is no address", () => {
    for (const text of ["", "node-3.internal", "2001:db8", "::1::"]) assert.strictEqual(networkOf(text), text)
  })
})
