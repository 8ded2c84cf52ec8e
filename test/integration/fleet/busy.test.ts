/** A database that answers, and has no time for a statement: nothing that was owed meanwhile waits for it to be away. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as AuditLinesLayer from "../../../src/layers/fleet/AuditLines.ts"
import * as CallJournalLayer from "../../../src/layers/fleet/CallJournal.ts"
import { AuditLines } from "../../../src/services/call/AuditLines.ts"
import { CallJournal } from "../../../src/services/call/CallJournal.ts"
import { databaseLayer } from "../../support/fleetDatabase.ts"
import { quiet, until } from "../../support/fleetStores.ts"
import { inFolder } from "../../support/folder.ts"
import { holding } from "../../support/heldLocks.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

const SELF = { name: "node-1", incarnation: "1" }
const ENTRY = { agent: "main", server: "files", tool: "read" }

/** What a node writes, and what it owes. */
const nodeAt = Effect.fnUntraced(function* (url: string) {
  const directory = yield* inFolder
  const context = yield* Layer.build(
    Layer.mergeAll(
      CallJournalLayer.layer({ self: () => SELF, directory }),
      AuditLinesLayer.layer({ self: SELF, directory })
    ).pipe(Layer.provide(databaseLayer(url)), Layer.orDie, Layer.provide(quiet), Layer.fresh)
  )
  const owes = (file: string) => existsSync(join(directory, file)) && readFileSync(join(directory, file)).length > 0
  return { journal: Context.get(context, CallJournal).current!, lines: Context.get(context, AuditLines), owes }
})

describePostgres("what could not be written to a database that was busy", () => {
  it.live("of the journal of calls is written as soon as it can be, and so is all that comes later", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      const { journal, owes } = yield* nodeAt(database.url)
      const release = yield* holding(database, "lock table mcp_live.calls in access exclusive mode")
      const first = journal.open(ENTRY)
      yield* first.written
      assert.isTrue(owes("calls-node-1.jsonl"))
      yield* release
      const second = journal.open(ENTRY)
      yield* second.written
      first.close("done")
      second.close("failed")
      yield* until(
        Effect.map(
          database.query("select outcome from mcp_live.calls order by seq"),
          (rows) => rows.map(({ outcome }) => outcome).join() === "done,failed"
        )
      )
      // It is removed when all of it is written.
      yield* until(Effect.sync(() => !owes("calls-node-1.jsonl")))
    }).pipe(Effect.scoped)
  )

  it.live("of the audit log is written as soon as it can be, in its order", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      const { lines, owes } = yield* nodeAt(database.url)
      const release = yield* holding(database, "lock table mcp_live.audit in access exclusive mode")
      yield* Effect.promise(() => lines.append(["first"]))
      assert.isTrue(owes("audit-node-1.jsonl"))
      yield* release
      yield* Effect.promise(() => lines.append(["second"]))
      yield* until(
        Effect.map(
          database.query("select line from mcp_live.audit order by tx, id"),
          (rows) => rows.map(({ line }) => line).join() === "first,second"
        )
      )
      yield* until(Effect.sync(() => !owes("audit-node-1.jsonl")))
    }).pipe(Effect.scoped)
  )
})
