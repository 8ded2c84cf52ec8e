/** What is owed while nobody takes it, on a disk that may be full. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { makeSpool } from "../../src/system/spool.ts"
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
})
