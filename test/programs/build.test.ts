import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, openSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { generationsOf, publish } from "../../scripts/publish.ts"
import { inFolder as folder } from "../support/folder.ts"

/** A program of one part, which it loads when it is told to: as `bundle.mjs` puts it in place. */
const build = (place: string, part: string) => {
  const name = `part-${part}.js`
  const generations = generationsOf(join(place, "parts.json"), [name])
  publish(
    place,
    [
      [name, `export const part = "${part}"\n`],
      [
        "main.mjs",
        `process.stdin.once("data", async () => console.log((await import("./${name}")).part)); console.log("runs")\n`
      ],
      ["parts.json", JSON.stringify(generations)]
    ],
    (path) => !generations.before.includes(path)
  )
}

const run = (place: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [join(place, "main.mjs")], { stdio: ["pipe", "pipe", "inherit"] })
      await once(child.stdout, "data")
      return child
    }),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

describe("a build", () => {
  it.live("leaves a program that runs the parts that it has not loaded yet, also when it is made twice", () =>
    Effect.gen(function* () {
      const place = yield* folder
      build(place, "old")
      const running = yield* run(place)
      build(place, "new")
      build(place, "new")
      running.stdin.write("\n")
      const [loaded] = (yield* Effect.promise(() => once(running.stdout, "data"))) as [Buffer]
      assert.strictEqual(loaded.toString(), "old\n")
      build(place, "newest")
      assert.isFalse(existsSync(join(place, "part-old.js")))
      assert.isTrue(existsSync(join(place, "part-new.js")))
    }).pipe(Effect.scoped)
  )

  it.effect("replaces a file atomically: a process that opened the old one keeps it", () =>
    Effect.gen(function* () {
      const place = yield* folder
      publish(place, [["a/file.js", "old"]], () => true)
      const opened = openSync(join(place, "a/file.js"), "r")
      publish(place, [["a/file.js", "new"]], () => true)
      assert.strictEqual(readFileSync(opened, "utf8"), "old")
      assert.strictEqual(readFileSync(join(place, "a/file.js"), "utf8"), "new")
    }).pipe(Effect.scoped)
  )

  it.effect("does not touch what is the same, and removes what is stale", () =>
    Effect.gen(function* () {
      const place = yield* folder
      publish(
        place,
        [
          ["same.js", "1"],
          ["gone.js", "2"],
          ["kept.js", "3"]
        ],
        () => true
      )
      const before = statSync(join(place, "same.js")).ino
      publish(place, [["same.js", "1"]], (path) => path === "gone.js")
      assert.strictEqual(statSync(join(place, "same.js")).ino, before)
      assert.isFalse(existsSync(join(place, "gone.js")))
      assert.isTrue(existsSync(join(place, "kept.js")))
    }).pipe(Effect.scoped)
  )
})
