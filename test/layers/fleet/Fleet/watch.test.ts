import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeWatch } from "../../../../src/layers/fleet/Fleet/watch.ts"
import { HEARTBEAT_MS } from "../../../../src/schemas/defaults/FleetNodes.ts"
import type { FleetNode } from "../../../../src/schemas/fleet/Node.ts"
import { PeerRefused } from "../../../../src/services/fleet/PeerDoor.ts"
import { quiet } from "../../../support/fleetStores.ts"

const NODE: FleetNode = {
  name: "two",
  incarnation: "2",
  address: "10.0.0.2:7731",
  state: "alive",
  version: "0.0.0-test",
  startedAt: 0,
  seenAt: 0,
  load: { sessions: 0, servers: 0, callsInFlight: 0 }
}

it.effect("a node goes on watching another one after an attempt that ended with a mistake", () =>
  Effect.gen(function* () {
    let dialed = 0
    const lost: Array<string> = []
    const watch = yield* makeWatch({
      door: {
        port: 1,
        become: () => {},
        expect: () => {},
        accept: () => Effect.void,
        dial: () =>
          Effect.suspend(() => {
            if (++dialed === 1) throw new Error("a mistake")
            return Effect.fail(new PeerRefused({ reason: "gone", detail: "nobody is there" }))
          })
      },
      now: () => 0,
      isAlive: () => true,
      answered: () => {},
      doubted: () => {},
      lost: ({ name }) => Effect.sync(() => void lost.push(name))
    })
    yield* watch.follow([NODE])
    yield* TestClock.adjust(HEARTBEAT_MS - 1)
    assert.strictEqual(dialed, 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(dialed, 2)
    assert.deepStrictEqual(lost, ["two"])
  }).pipe(Effect.provide(quiet))
)
