import { assert, it, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as NodeControlLayer from "../../../src/layers/fleet/NodeControl.ts"
import * as PeerDoorLayer from "../../../src/layers/fleet/PeerDoor.ts"
import { callerWith, type Caller } from "../../../src/schemas/call/Caller.ts"
import type { FleetNode } from "../../../src/schemas/fleet/Node.ts"
import { Fleet } from "../../../src/services/fleet/Fleet.ts"
import { NodeControl } from "../../../src/services/fleet/NodeControl.ts"
import { PeerDoor } from "../../../src/services/fleet/PeerDoor.ts"
import { pauses } from "../../support/pause.ts"

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

/** What `asking` has of the others. */
const controlOf = (asking: Known, others: ReadonlyArray<FleetNode>) =>
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
    return Context.get(context, NodeControl)
  })

/** What `asking` hears from the others. */
const heardBy = (asking: Known, others: ReadonlyArray<FleetNode>) =>
  Effect.gen(function* () {
    const said = yield* (yield* controlOf(asking, others)).askOthers((client) => client.Figures({}))
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

const callerOf = (subject: string) =>
  callerWith(`${subject} by page`, {
    person: { issuer: "https://login.example.com", subject, name: subject },
    client: "page",
    groups: [],
    roles: [],
    scopes: []
  })

/** A node that tells people one question, and notes who has asked it. */
const telling = Effect.fnUntraced(function* (name: string) {
  const made = yield* doorOf(name)
  const came: Array<string> = []
  const gone: Array<string> = []
  yield* (yield* controlOf(made, [])).onPerson((socket, caller) => {
    const whose = caller.person?.subject ?? ""
    came.push(whose)
    socket.once("close", () => gone.push(whose)).on("error", () => {})
    socket.once("data", (chunk: Buffer) => {
      const { id } = JSON.parse(String(chunk).split("\n", 1)[0]!) as { readonly id: string }
      const question = { _tag: "Elicitation", id: `of ${name}`, request: {} }
      const event = { epoch: "1", seq: 0, at: 0, event: { _tag: "Questions", questions: [question] } }
      socket.write(`${JSON.stringify({ _tag: "Chunk", requestId: id, values: [event] })}\n`)
    })
    socket.resume()
  })
  return { ...made, came, gone }
})

describe("what somebody hears of the other nodes on their pages", () => {
  it.live(
    "comes by one connection to each node, however many pages they have, and pages of others have their own",
    () =>
      Effect.gen(function* () {
        const asking = yield* doorOf("asking")
        const others = [yield* telling("b"), yield* telling("c")]
        const { heardBy: hears } = yield* controlOf(
          asking,
          others.map(({ node }) => node)
        )
        const ada = callerOf("ada")
        /** A page hears of both nodes. */
        const page = Effect.fnUntraced(function* (caller: Caller) {
          const heard = yield* Stream.toQueue(hears(caller), { capacity: 64 })
          yield* Queue.take(heard).pipe(
            Effect.repeat({ until: (event) => event._tag === "Questions" && event.questions.length === 2 })
          )
        })
        const pages = yield* Scope.make()
        for (let i = 0; i < 5; i++) yield* Scope.provide(page({ ...ada }), pages)
        yield* page(callerOf("bob"))
        for (const { came } of others) assert.deepStrictEqual(came, ["ada", "bob"])
        // Nobody listens for whoever has no page any more.
        yield* Scope.close(pages, Exit.void)
        for (const { gone } of others) {
          yield* Effect.sync(() => gone).pipe(Effect.repeat({ schedule: pauses, until: (all) => all.length > 0 }))
          assert.deepStrictEqual(gone, ["ada"])
        }
      }).pipe(Effect.scoped)
  )
})
