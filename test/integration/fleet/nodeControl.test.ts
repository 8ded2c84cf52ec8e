import { assert, it, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as NodeControlLayer from "../../../src/layers/fleet/NodeControl.ts"
import * as PeerDoorLayer from "../../../src/layers/fleet/PeerDoor.ts"
import type { FleetNode } from "../../../src/schemas/fleet/Node.ts"
import { Fleet } from "../../../src/services/fleet/Fleet.ts"
import { NodeControl } from "../../../src/services/fleet/NodeControl.ts"
import { PeerDoor } from "../../../src/services/fleet/PeerDoor.ts"

const SECRET = Redacted.make("a secret of more than thirty-two characters")

const doorOf = (name: string, contract?: { readonly contract: number; readonly oldest: number }) =>
  Effect.gen(function* () {
    const layer = PeerDoorLayer.layer({ listen: "127.0.0.1:0", secret: SECRET, fleet: "fleet-1", contract })
    const door = Context.get(yield* Layer.build(Layer.fresh(layer)), PeerDoor)
    door.become({ name, incarnation: name })
    const node: FleetNode = {
      name,
      incarnation: name,
      address: `127.0.0.1:${door.port}`,
      version: "0",
      state: "alive",
      startedAt: 0,
      seenAt: 0,
      load: { sessions: 0, servers: 0, callsInFlight: 0 }
    }
    return { door, node }
  })

type Known = Effect.Success<ReturnType<typeof doorOf>>

/** What `asking` hears from the others. */
const heardBy = (asking: Known, others: ReadonlyArray<FleetNode>) =>
  Effect.gen(function* () {
    const nodes = [asking.node, ...others]
    const known = {
      self: asking.node,
      nodes: () => nodes,
      node: (name: string) => nodes.find((node) => node.name === name),
      isCurrent: () => true,
      isDraining: () => false,
      reports: () => {}
    }
    const context = yield* Layer.build(
      Layer.fresh(NodeControlLayer.layer).pipe(
        Layer.provide([Layer.succeed(PeerDoor, asking.door), Layer.mock(Fleet, known)])
      )
    )
    const said = yield* Context.get(context, NodeControl).askOthers((client) => client.Figures({}))
    return said.map((one) => [one.node.name, one._tag === "Silent" ? one.detail : one.value])
  })

describe("a node that is asked what runs there", () => {
  it.live("is named with the reason when it says nothing: gone, of another version, or without an answer in time", () =>
    Effect.gen(function* () {
      const asking = yield* doorOf("asking")
      const gone = { ...asking.node, name: "gone", incarnation: "gone", address: "127.0.0.1:1" }
      const newer = yield* doorOf("newer", { contract: 99, oldest: 98 })
      const mute = yield* doorOf("mute")
      yield* mute.door.accept("mcp-live-control", (socket) => void socket.on("error", () => {}).resume())
      const dead: FleetNode = { ...gone, name: "dead", incarnation: "dead", state: "dead" }
      const said = yield* heardBy(asking, [gone, newer.node, mute.node, dead])
      assert.deepStrictEqual(
        said.map(([name]) => name),
        ["gone", "newer", "mute"]
      )
      assert.match(String(said[0]![1]), /nobody listens at/)
      assert.match(String(said[1]![1]), /runs a version of mcp-live that this one cannot work with/)
      assert.strictEqual(said[2]![1], "it does not answer")
    }).pipe(Effect.scoped)
  )
})
