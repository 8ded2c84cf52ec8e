import { assert, describe, it } from "@effect/vitest"
import { Socket } from "node:net"
import { CONNECTION_FRESH_MS, CONNECTIONS_FRESH_SHARE } from "../../src/schemas/defaults/Listener.ts"
import { Places } from "../../src/system/connectionPlaces.ts"
import { MeteredSocket } from "../../src/system/meteredSocket.ts"

const MAX = 8
const MANY = 1_000_000

const setUp = (
  descriptors = MANY,
  { max = MAX, newcomers }: { readonly max?: number; readonly newcomers?: number } = {}
) => {
  const time = { now: 0 }
  const places = new Places(max, { descriptors, newcomers, now: () => time.now })
  const come = (count: number) =>
    Array.from({ length: count }, () => {
      const socket = new MeteredSocket(new Socket(), () => {})
      places.arrive(socket)
      return socket
    })
  return { come, time }
}

const closed = (sockets: ReadonlyArray<MeteredSocket>) => sockets.filter(({ destroyed }) => destroyed).length

describe("connections without a request yet", () => {
  it("are left alone while they have just come, although there are more than places", () => {
    const { come } = setUp()
    assert.strictEqual(closed(come(MAX * CONNECTIONS_FRESH_SHARE)), 0)
  })

  it("have no more places where there are many for authenticated ones", () => {
    const { come } = setUp(MANY, { max: 100 * MAX, newcomers: MAX })
    assert.strictEqual(closed(come(MAX * CONNECTIONS_FRESH_SHARE + 1)), 1)
  })

  it("are closed for new ones later, the oldest first", () => {
    const { come, time } = setUp()
    const first = come(MAX)
    time.now += CONNECTION_FRESH_MS
    const more = come(3)
    assert.deepStrictEqual(
      first.map(({ destroyed }) => destroyed),
      [true, true, true, false, false, false, false, false]
    )
    assert.strictEqual(closed(more), 0)
  })

  it("make room at once for the newest when there are very many", () => {
    const { come } = setUp()
    const all = come(MAX * CONNECTIONS_FRESH_SHARE + 5)
    assert.strictEqual(closed(all.slice(0, 5)), 5)
    assert.strictEqual(closed(all), 5)
  })

  it("never take more descriptors than connections may have", () => {
    const { come } = setUp(48)
    const all = come(20)
    assert.strictEqual(all.length - closed(all), 12)
  })
})
