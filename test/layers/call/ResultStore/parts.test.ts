/** A kept text is read in parts, from memory or from its file. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFile } from "node:child_process"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import * as ResultStoreLayer from "../../../../src/layers/call/ResultStore.ts"
import { KEPT_TEXT_CHUNK_CHARS } from "../../../../src/schemas/defaults/Results.ts"
import { ResultStore } from "../../../../src/services/call/ResultStore.ts"
import { isFull } from "../../../support/full.ts"
import { inFolder as makeDirectory } from "../../../support/folder.ts"

const PROGRAM = fileURLToPath(new URL("../../../fixtures/manyParts.ts", import.meta.url))
const ORIGIN = { server: "fs", tool: "read" }

const turn = Effect.promise(() => new Promise((resume) => setImmediate(resume)))

describe("ResultStore: parts", () => {
  it.effect("are the same from memory and from the file", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* Effect.provide(
        ResultStore,
        yield* Layer.build(ResultStoreLayer.layer({ directory }).pipe(Layer.provide(RedactorLayer.layer)))
      )
      const text = `x${"zwölf 😀 ".repeat(KEPT_TEXT_CHUNK_CHARS / 3)}`
      const handle = store.keep(text, ORIGIN)!
      const kept = (yield* store.open(handle))!
      assert.strictEqual(kept.length, text.length)
      const check = Effect.gen(function* () {
        const edges = [0, 1, KEPT_TEXT_CHUNK_CHARS, 2 * KEPT_TEXT_CHUNK_CHARS, text.length].flatMap((place) =>
          [-2, -1, 0, 1, 2].map((beside) => Math.min(Math.max(0, place + beside), text.length))
        )
        for (const from of edges) {
          for (const to of edges.filter((place) => place >= from)) {
            assert.isTrue((yield* kept.slice(from, to)) === text.slice(from, to), `${from} to ${to}`)
          }
        }
      })
      yield* check
      const file = () =>
        readdirSync(join(directory, "results"), { recursive: true }).some((name) => `${name}`.endsWith(handle))
      while (!existsSync(join(directory, "results")) || !file()) yield* turn
      yield* check
      assert.strictEqual((yield* store.open(handle))!.length, text.length)
      assert.isUndefined(yield* store.open("r-0000000000000000"))
      rmSync(join(directory, "results"), { recursive: true })
    })
  )

  it.runIf(isFull)(
    "take little memory, also for many reads of a 24 MiB text at the same time",
    async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=512", PROGRAM])
      const { answered, grownBy } = JSON.parse(stdout) as { readonly answered: number; readonly grownBy: number }
      assert.strictEqual(answered, 80)
      assert.isAtMost(grownBy, 256 * 1024 * 1024)
    },
    120_000
  )
})
