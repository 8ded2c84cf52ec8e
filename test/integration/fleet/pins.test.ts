import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as DefinitionLedgerLayer from "../../../src/layers/call/DefinitionLedger.ts"
import type { Catalogue } from "../../../src/schemas/connection/Catalogue.ts"
import { DefinitionLedger } from "../../../src/services/call/DefinitionLedger.ts"
import * as PinStoreLayer from "../../../src/layers/fleet/PinStore.ts"
import { PinStore } from "../../../src/services/call/PinStore.ts"
import { Database, type Heard } from "../../../src/services/fleet/Database.ts"
import { databaseLayer } from "../../support/fleetDatabase.ts"
import { auditInto } from "../../support/audit.ts"
import { quiet, storesOf, until } from "../../support/fleetStores.ts"
import { catalogue, pinned, tool } from "../../support/pins.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"
import { sanitizer } from "../../support/sanitizer.ts"

const CONFIG = pinned("tickets", "block")
const FIRST = catalogue([tool("find"), tool("close")])
const CHANGED = catalogue([tool("find", "Now does something else"), tool("close")])

const nodeAt = (url: string, node: string) =>
  Effect.map(
    Layer.build(
      DefinitionLedgerLayer.layerStored({ configuration: "fleet" }).pipe(
        Layer.provideMerge(storesOf(url, node)),
        Layer.provide([sanitizer, auditInto([])]),
        Layer.provide(quiet)
      )
    ),
    (context) => ({ ledger: Context.get(context, DefinitionLedger), database: Context.get(context, Database) })
  )

type Ledger = DefinitionLedger["Service"]

const stateOf = (ledger: Ledger, listed: Catalogue, name: string) =>
  ledger.review([{ config: CONFIG, catalogue: listed }])(
    CONFIG,
    listed.tools.find((each) => each.name === name)!
  ).pin

const isStored = (ledger: Ledger, pin: (name: string) => boolean) =>
  Effect.map(Effect.orDie(ledger.list), ([kept]) => kept?._tag === "Pins" && pin(kept.pins.server))

const pinsOf = (ledger: Ledger) =>
  Effect.map(Effect.orDie(ledger.list), (all) => all.flatMap((kept) => (kept._tag === "Pins" ? [kept.pins] : [])))

describePostgres("the pins of a fleet", () => {
  it.live("are those that the first node has trusted, also at a node that starts later", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const one = yield* nodeAt(url, "one")
      const other = yield* nodeAt(url, "other")
      assert.strictEqual(stateOf(one.ledger, FIRST, "find"), "approved")
      yield* until(isStored(other.ledger, (server) => server === "tickets"))
      assert.strictEqual(stateOf(other.ledger, CHANGED, "find"), "changed")
      assert.strictEqual(stateOf(other.ledger, CHANGED, "close"), "approved")
      const later = yield* nodeAt(url, "later")
      assert.strictEqual(stateOf(later.ledger, CHANGED, "find"), "changed")
    })
  )

  it.live("know a decision of one node at all, which tell their agents", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const one = yield* nodeAt(url, "one")
      const other = yield* nodeAt(url, "other")
      stateOf(one.ledger, FIRST, "find")
      yield* until(isStored(other.ledger, () => true))
      assert.strictEqual(stateOf(other.ledger, CHANGED, "find"), "changed")
      assert.strictEqual(stateOf(one.ledger, CHANGED, "find"), "changed")
      const pendingAt = (ledger: Ledger) => Effect.map(pinsOf(ledger), ([pins]) => pins?.tools.get("find")?.pending)
      yield* until(Effect.map(pendingAt(one.ledger), (pending) => pending !== undefined))
      const version = other.ledger.version()
      const [pins] = yield* pinsOf(one.ledger)
      const { hash } = pins!.tools.get("find")!.pending!
      const decided = yield* one.ledger.decide({
        server: "tickets",
        launch: pins!.launch,
        configuration: "fleet",
        verdict: "approve",
        tools: [{ name: "find", hash }]
      })
      assert.deepEqual(decided, ["find"])
      yield* until(Effect.sync(() => stateOf(other.ledger, CHANGED, "find") === "approved"))
      yield* until(Effect.sync(() => other.ledger.version() > version))
      assert.strictEqual(stateOf(other.ledger, FIRST, "find"), "changed")
    })
  )

  it.live("keep all decisions of nodes that decide at the same time", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const names = Array.from({ length: 12 }, (_, i) => `tool_${i}`)
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      stateOf(one.ledger, catalogue(names.map((name) => tool(name))), names[0]!)
      yield* until(isStored(other.ledger, () => true))
      const [pins] = yield* pinsOf(other.ledger)
      const decide = (ledger: Ledger, name: string) =>
        ledger.decide({
          server: "tickets",
          launch: pins!.launch,
          configuration: "fleet",
          verdict: "reject",
          tools: [{ name, hash: pins!.tools.get(name)!.approved!.hash }]
        })
      yield* Effect.forEach(names, (name, i) => decide(i % 2 === 0 ? one.ledger : other.ledger, name), {
        concurrency: "unbounded"
      })
      const isAll = (ledger: Ledger) =>
        Effect.map(pinsOf(ledger), ([all]) => names.every((name) => all?.tools.get(name)?.rejected === true))
      yield* until(isAll(one.ledger))
      yield* until(isAll(other.ledger))
    })
  )

  it.live(
    "hold while the database is away; a decision says when to come back, and what is new is stored afterwards",
    () =>
      Effect.gen(function* () {
        const server = yield* ownPostgres
        const { url } = yield* newDatabase(server)
        const one = yield* nodeAt(url, "one")
        const other = yield* nodeAt(url, "other")
        stateOf(one.ledger, FIRST, "find")
        yield* until(isStored(one.ledger, () => true))
        yield* server.tell("stop")
        assert.strictEqual(stateOf(one.ledger, CHANGED, "find"), "changed")
        const [pins] = yield* pinsOf(one.ledger)
        const words = yield* one.ledger
          .decide({ server: "tickets", launch: pins!.launch, configuration: "fleet", verdict: "approve", tools: [] })
          .pipe(
            Effect.flip,
            Effect.map(({ message }) => message)
          )
        assert.match(words, /they cannot be stored: the database of the fleet is not available; try again in /)
        yield* server.tell("start")
        yield* until(
          Effect.map(
            pinsOf(other.ledger),
            ([at]) => at?.tools.get("find")?.pending?.definition.description !== undefined
          )
        )
      })
  )

  it.live("are read later when that was not possible at the moment in which they could be heard again", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const one = yield* nodeAt(url, "one")
      const real = Context.get(yield* Layer.build(Layer.orDie(databaseLayer(url, { node: "other" }))), Database)
      const told = yield* Queue.unbounded<Heard>()
      let [isBroken, asked] = [false, 0]
      const database = Database.of({
        ...real,
        heard: () => Stream.fromQueue(told),
        run: (detail, work) =>
          Effect.suspend(() => {
            asked++
            return isBroken ? Effect.fail(real.away(detail)) : real.run(detail, work)
          })
      })
      const context = yield* Layer.build(PinStoreLayer.layer.pipe(Layer.provide(Layer.succeed(Database, database))))
      const { list } = Context.get(context, PinStore)
      isBroken = true
      const before = asked
      yield* Queue.offer(told, { _tag: "listening" })
      yield* until(Effect.sync(() => asked > before))
      stateOf(one.ledger, FIRST, "find")
      yield* until(isStored(one.ledger, () => true))
      isBroken = false
      yield* until(Effect.map(list, (all) => all.length === 1))
    }).pipe(Effect.provide(quiet))
  )
})
