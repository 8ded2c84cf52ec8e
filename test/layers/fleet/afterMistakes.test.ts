/** What a node does in the background goes on after a round that ended with a mistake in the program. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as AuditLinesLayer from "../../../src/layers/fleet/AuditLines.ts"
import * as CallJournalLayer from "../../../src/layers/fleet/CallJournal.ts"
import * as CallPlacesLayer from "../../../src/layers/fleet/CallPlaces.ts"
import * as CallTokensLayer from "../../../src/layers/fleet/CallTokens.ts"
import * as LeasesLayer from "../../../src/layers/fleet/Leases.ts"
import * as PageLogoutsLayer from "../../../src/layers/fleet/PageLogouts.ts"
import * as PinStoreLayer from "../../../src/layers/fleet/PinStore.ts"
import * as QuotaStoreLayer from "../../../src/layers/fleet/QuotaStore.ts"
import * as ResultTextsLayer from "../../../src/layers/fleet/ResultTexts.ts"
import { DEFAULT_CALL_LIMITS } from "../../../src/schemas/call/CallLimits.ts"
import { JOURNAL_CLOSE_MS, REPEATS_KEPT_MS } from "../../../src/schemas/defaults/Fleet.ts"
import {
  LEASE_BEAT_MS,
  LEASE_MS,
  OWED_RETRY_MS,
  RESULTS_SWEEP_MS,
  TOKENS_SWEEP_MS,
  TOKENS_WAIT_MS,
  UNHEARD_POLL_MS
} from "../../../src/schemas/defaults/FleetStores.ts"
import { QUOTA_SWEEP_MS } from "../../../src/schemas/defaults/Quotas.ts"
import { AuditLines } from "../../../src/services/call/AuditLines.ts"
import { CallJournal } from "../../../src/services/call/CallJournal.ts"
import type { LimitedCaller } from "../../../src/services/call/CallLimiter.ts"
import { CallPlaces } from "../../../src/services/call/CallPlaces.ts"
import { CallTokens } from "../../../src/services/call/CallTokens.ts"
import type { Database } from "../../../src/services/fleet/Database.ts"
import { Leases } from "../../../src/services/fleet/Leases.ts"
import { PageLogouts } from "../../../src/services/fleet/PageLogouts.ts"
import { fakeDatabase, type FakeDatabase } from "../../support/fakeDatabase.ts"
import { quiet } from "../../support/fleetStores.ts"
import { inFolder } from "../../support/folder.ts"

const SELF = { name: "node-1", incarnation: "one" }

const CALLER: LimitedCaller = {
  agent: "main",
  server: "files",
  process: "files at somewhere",
  limits: { ...DEFAULT_CALL_LIMITS, perMinute: 6_000, burst: 100 }
}

const built = <A, E>(layer: Layer.Layer<A, E, Database>, { layer: database }: FakeDatabase) =>
  Layer.build(Layer.fresh(layer).pipe(Layer.provide(database), Layer.provideMerge(quiet)))

const countOf = ({ statements }: FakeDatabase, words: string) =>
  statements.filter((statement) => statement.includes(words)).length

const journalIn = (directory: string) =>
  CallJournalLayer.layer({
    self: () => SELF,
    directory,
    repeats: { mayRepeat: () => true, secret: Redacted.make("the secret that the nodes of the tests share") }
  })

describe("what a node does again and again", () => {
  it.effect.each([
    { what: "removes old quotas", layer: () => QuotaStoreLayer.layer, words: "call_quotas", everyMs: QUOTA_SWEEP_MS },
    {
      what: "removes old results",
      layer: () => ResultTextsLayer.layer,
      words: "from mcp_live.results",
      everyMs: RESULTS_SWEEP_MS
    },
    {
      what: "removes old counts of calls",
      layer: () => CallTokensLayer.layer({ nodes: () => 1 }),
      words: "delete from mcp_live.call_tokens",
      everyMs: TOKENS_SWEEP_MS
    },
    {
      what: "removes what is kept of calls",
      layer: journalIn,
      words: "delete from mcp_live.repeats",
      everyMs: REPEATS_KEPT_MS
    },
    { what: "reads pins", layer: () => PinStoreLayer.layer, words: "from mcp_live.pins", everyMs: UNHEARD_POLL_MS }
  ])("it $what, also after a mistake", ({ everyMs, layer, words }) =>
    Effect.gen(function* () {
      const database = yield* fakeDatabase()
      yield* built<never, unknown>(layer(yield* inFolder), database)
      const before = countOf(database, words)
      database.breakOnce(words)
      yield* TestClock.adjust(everyMs)
      assert.strictEqual(countOf(database, words), before + 1)
      yield* TestClock.adjust(everyMs)
      assert.strictEqual(countOf(database, words), before + 2)
    })
  )
})

describe("after a mistake, a node", () => {
  it.effect("counts calls with the others again, and lets the call that waited go by its share", () =>
    Effect.gen(function* () {
      let asked = 0
      const database = yield* fakeDatabase((statement, [asks]) => {
        if (!statement.includes("take_tokens")) return []
        asked++
        return (asks as ReadonlyArray<{ readonly bucket: string }>).map(({ bucket }) => ({
          bucket,
          granted: 5,
          rest: 50
        }))
      })
      const context = yield* built(CallTokensLayer.layer({ nodes: () => 1 }), database)
      const { take } = Context.get(context, CallTokens)
      database.breakOnce("take_tokens")
      const waiting = yield* Effect.forkChild(take(CALLER) ?? Effect.void, { startImmediately: true })
      // It would wait no longer than this anyway.
      yield* TestClock.adjust(TOKENS_WAIT_MS - 1)
      assert.deepStrictEqual(waiting.pollUnsafe(), Exit.void)
      assert.strictEqual(asked, 0)
      const next = yield* Effect.forkChild(take(CALLER) ?? Effect.void, { startImmediately: true })
      yield* TestClock.adjust(0)
      assert.strictEqual(asked, 1)
      assert.deepStrictEqual(next.pollUnsafe(), Exit.void)
    })
  )

  it.effect("counts calls in flight with the others again, and lets the call that waited go by its share", () =>
    Effect.gen(function* () {
      let asked = 0
      const database = yield* fakeDatabase((statement, [asks]) => {
        if (!statement.includes("take_places")) return []
        asked++
        return (asks as ReadonlyArray<{ readonly server: string; readonly want: number }>).map(({ server, want }) => ({
          server,
          places: want
        }))
      })
      const context = yield* built(CallPlacesLayer.layer({ node: SELF.name, nodes: () => 1 }), database)
      const { enter } = Context.get(context, CallPlaces)
      database.breakOnce("take_places")
      const waiting = yield* Effect.forkChild(enter(CALLER, 10) ?? Effect.void, { startImmediately: true })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(waiting.pollUnsafe(), Exit.void)
      assert.strictEqual(asked, 0)
      const next = yield* Effect.forkChild(enter(CALLER, 10) ?? Effect.void, { startImmediately: true })
      yield* TestClock.adjust(0)
      assert.strictEqual(asked, 1)
      assert.deepStrictEqual(next.pollUnsafe(), Exit.void)
    })
  )

  it.effect("renews its leases, and gives them back", () =>
    Effect.gen(function* () {
      const database = yield* fakeDatabase((statement, [, second]) => {
        if (statement.includes("insert into mcp_live.leases")) return [{ holder: second }]
        return statement.includes("update") ? (second as ReadonlyArray<string>).map((one) => ({ holder: one })) : []
      })
      const leases = Context.get(yield* built(LeasesLayer.layer({ node: SELF.name }), database), Leases)
      const taken = yield* leases.take("a name", "x")
      assert.strictEqual(taken._tag, "Ours")
      if (taken._tag !== "Ours") return
      database.breakOnce("update mcp_live.leases")
      for (let ms = 0; ms < 2 * LEASE_MS; ms += LEASE_BEAT_MS) yield* TestClock.adjust(LEASE_BEAT_MS)
      assert.isTrue(taken.lease.isOurs())
      database.breakOnce("delete from mcp_live.leases")
      taken.lease.release()
      yield* TestClock.adjust(0)
      const other = yield* leases.take("another", "x")
      if (other._tag === "Ours") other.lease.release()
      yield* TestClock.adjust(0)
      assert.strictEqual(countOf(database, "delete from mcp_live.leases"), 2)
    })
  )

  it.effect("tells the others of logouts that it owes, also after one that the database refuses", () =>
    Effect.gen(function* () {
      const database = yield* fakeDatabase()
      const { end } = Context.get(yield* built(PageLogoutsLayer.layer, database), PageLogouts)
      yield* database.become("away")
      for (const session of ["one", "two"]) yield* end(session, 1_000_000)
      yield* database.become("here")
      database.breakOnce("insert into mcp_live.page_logouts")
      yield* TestClock.adjust(OWED_RETRY_MS)
      assert.strictEqual(countOf(database, "insert into mcp_live.page_logouts"), 2)
      yield* TestClock.adjust(OWED_RETRY_MS)
      assert.strictEqual(countOf(database, "insert into mcp_live.page_logouts"), 3)
      yield* TestClock.adjust(OWED_RETRY_MS)
      assert.strictEqual(countOf(database, "insert into mcp_live.page_logouts"), 3)
    })
  )

  it.effect("writes what its audit log and its journal owe", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const database = yield* fakeDatabase()
      const audit = Context.get(yield* built(AuditLinesLayer.layer({ self: SELF, directory }), database), AuditLines)
      const { current } = Context.get(yield* built(journalIn(directory), database), CallJournal)
      const append = Effect.promise(() => audit.append(['{"time":"2026-01-01T00:00:00Z"}']))
      const open = Effect.suspend(() => current!.open({ agent: "main", server: "files", tool: "read" }).written)
      for (const { owe, words } of [
        { owe: append, words: "into mcp_live.audit" },
        { owe: open, words: "into mcp_live.calls" }
      ]) {
        yield* TestClock.adjust(0)
        yield* database.become("away")
        yield* owe
        database.breakOnce(words)
        yield* database.become("here")
        yield* TestClock.adjust(0)
        assert.strictEqual(countOf(database, words), 1)
        yield* TestClock.adjust(1_000)
        assert.strictEqual(countOf(database, words), 2)
        yield* TestClock.adjust(1_000)
        assert.strictEqual(countOf(database, words), 2)
      }
    })
  )

  it.effect("writes how calls ended: each by itself when one of several is refused, and later ones", () =>
    Effect.gen(function* () {
      const ends: Array<string> = []
      const database = yield* fakeDatabase((statement, [rows]) => {
        if (!statement.includes("close_calls")) return []
        const text = JSON.stringify(rows)
        if (text.includes('"unknown"')) throw new Error("refused")
        for (const [outcome] of text.matchAll(/"outcome":"\w+"/g)) ends.push(outcome)
        return []
      })
      const { current } = Context.get(yield* built(journalIn(yield* inFolder), database), CallJournal)
      const called = Effect.fnUntraced(function* (outcome: "done" | "failed" | "unknown") {
        const entry = current!.open({ agent: "main", server: "files", tool: "read" })
        yield* entry.written
        entry.close(outcome)
      })
      for (const outcome of ["done", "unknown", "failed"] as const) yield* called(outcome)
      yield* TestClock.adjust(2 * JOURNAL_CLOSE_MS)
      assert.deepStrictEqual(ends, ['"outcome":"done"', '"outcome":"failed"'])
      yield* called("done")
      yield* TestClock.adjust(2 * JOURNAL_CLOSE_MS)
      assert.lengthOf(ends, 3)
    })
  )
})
