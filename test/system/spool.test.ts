/** What is owed while nobody takes it, on a disk that may be full. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { makeSpool, sendOwed } from "../../src/system/spool.ts"
import { inFolder } from "../support/folder.ts"

describe("lines that are owed", () => {
  it.live.skipIf(process.platform !== "linux")("have no room on a full disk, and nothing is thrown", () =>
    Effect.gen(function* () {
      const path = join(yield* inFolder, "calls.jsonl")
      symlinkSync("/dev/full", path)
      const spool = makeSpool(path, 1_000)
      for (let i = 0; i < 3; i++) assert.isFalse(spool.add(["one", "two"]))
      assert.isTrue(spool.isEmpty())
    }).pipe(Effect.scoped)
  )

  it.live("are kept in order up to so many bytes", () =>
    Effect.gen(function* () {
      const spool = makeSpool(join(yield* inFolder, "calls.jsonl"), 16)
      assert.isTrue(spool.add(["one", "two"]))
      assert.isTrue(spool.add(["three"]))
      assert.isFalse(spool.add(["four"]))
      assert.deepStrictEqual(spool.next(), ["one", "two", "three"])
      spool.sent()
      assert.isTrue(spool.isEmpty())
    }).pipe(Effect.scoped)
  )

  const refused = new Error("of no use")
  /** Takes no "bad" lines, and counts what it was given. */
  const taker = () => {
    const taken: Array<string> = []
    const send = (lines: ReadonlyArray<string>) =>
      lines.includes("bad") ? Effect.die(refused) : Effect.sync(() => void taken.push(...lines))
    return { send, taken }
  }

  it.live("are sent without those that are refused", () =>
    Effect.gen(function* () {
      const spool = makeSpool(join(yield* inFolder, "calls.jsonl"), 1_000)
      spool.add(["one", "bad", "two", "three", "bad"])
      const { send, taken } = taker()
      assert.isTrue(yield* sendOwed(spool, send, (defect) => defect === refused))
      assert.deepStrictEqual(taken, ["one", "two", "three"])
      assert.isTrue(spool.isEmpty())
    }).pipe(Effect.provide(Logger.layer([])), Effect.scoped)
  )

  it.live("stay owed when it is no fault of theirs that they are not sent", () =>
    Effect.gen(function* () {
      const spool = makeSpool(join(yield* inFolder, "calls.jsonl"), 1_000)
      spool.add(["one", "bad"])
      const exit = yield* Effect.exit(sendOwed(spool, taker().send, () => false))
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(spool.next(), ["one", "bad"])
    }).pipe(Effect.scoped)
  )
})
