/** Connections from addresses that this machine does not have, so they are stood in for. */
import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { makeHandshakes, type Handshakes } from "../../../../src/layers/fleet/PeerDoor/handshakes.ts"
import {
  PEER_HANDSHAKES_OF_ADDRESS_MAX,
  STRANGERS_OF_ADDRESS_BURST
} from "../../../../src/schemas/defaults/FleetNodes.ts"

let port = 0
const from = (remoteAddress: string): Socket =>
  Object.assign(new EventEmitter(), { remoteAddress, remotePort: ++port }) as unknown as Socket

/** One after the other: none is under way when the next one begins. */
const begunOneByOne = ({ begin }: Handshakes, addresses: ReadonlyArray<string>): number =>
  addresses.filter((address) => {
    const socket = from(address)
    const hasBegun = begin(socket)
    socket.emit("close")
    return hasBegun
  }).length

const inNetwork = (times: number) =>
  Array.from({ length: times }, (_, i) => `2001:db8:1:2:${i.toString(16)}::${i.toString(16)}`)

describe("handshakes of strangers", () => {
  it("are so many of the addresses of one /64 network together, and those of another one are none of its business", () => {
    const handshakes = makeHandshakes(() => 0)
    assert.strictEqual(begunOneByOne(handshakes, inNetwork(STRANGERS_OF_ADDRESS_BURST * 2)), STRANGERS_OF_ADDRESS_BURST)
    assert.isTrue(handshakes.begin(from("2001:db8:1:3::1")))
    assert.isTrue(handshakes.begin(from("192.0.2.1")))
  })

  it("are under way so many at a time from one /64 network", () => {
    let now = 0
    const handshakes = makeHandshakes(() => now)
    const begin = (address: string) => {
      // A budget that is not what this is about.
      now += 60_000
      return handshakes.begin(from(address))
    }
    const begun = inNetwork(PEER_HANDSHAKES_OF_ADDRESS_MAX * 2).filter(begin)
    assert.strictEqual(begun.length, PEER_HANDSHAKES_OF_ADDRESS_MAX)
    assert.isTrue(begin("2001:db8:1:3::1"))
  })

  it("are counted alike for an IPv4 address that is written within an IPv6 one", () => {
    const handshakes = makeHandshakes(() => 0)
    const addresses = Array.from({ length: STRANGERS_OF_ADDRESS_BURST }, (_, i) =>
      i % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1"
    )
    assert.strictEqual(begunOneByOne(handshakes, addresses), STRANGERS_OF_ADDRESS_BURST)
    assert.isFalse(handshakes.begin(from("::ffff:192.0.2.1")))
  })

  it("do not count with those of a node that shares their network", () => {
    const handshakes = makeHandshakes(() => 0)
    handshakes.expect(["[2001:db8:1:2::5]:7731"])
    const begin = () => handshakes.begin(from("2001:db8:1:2:0:0:0:5"))
    for (let i = 0; i < PEER_HANDSHAKES_OF_ADDRESS_MAX; i++) assert.isTrue(begin())
    assert.strictEqual(begunOneByOne(handshakes, inNetwork(STRANGERS_OF_ADDRESS_BURST * 2)), STRANGERS_OF_ADDRESS_BURST)
    assert.isTrue(begin())
  })
})
