/**
 * What a killed gateway leaves is ended by the next one that starts on this machine. Files here are played one at a time, so
 * that the next one is the one that is meant.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ChildProcess } from "node:child_process"
import { entryOf, ownSelf, signal } from "../../src/system/process/procfs.ts"
import { sweep } from "../../src/system/process/sweep.ts"
import { makeRun, makeTag, TAG_VARIABLE, type Owner } from "../../src/system/process/tag.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { alive } from "../support/alive.ts"
import { child, died, firstLine } from "../support/children.ts"
import { run } from "../support/cli.ts"
import { doubleFork, doubleForkWithoutEnvironment, inGroup, ownSession } from "../support/daemons.ts"
import { isFull } from "../support/full.ts"

describe.skipIf(process.platform !== "linux")("processes: what a gateway left that was killed", () => {
  const gateway = (scripts: ReadonlyArray<string>, env: Record<string, string> = {}) =>
    Effect.gen(function* () {
      const started = yield* child(process.execPath, [inFixtures("gateway.ts"), ...scripts], env)
      const pids = JSON.parse(yield* firstLine(started)) as ReadonlyArray<number>
      return { started, pids }
    })
  const killed = (started: ChildProcess) =>
    Effect.callback<void>((resume) => {
      started.once("exit", () => resume(Effect.void))
      started.kill("SIGKILL")
    })

  it.live.runIf(isFull)(
    "is ended by the next gateway, even if it ignores signals or has left its group; servers of a living gateway are not",
    () =>
      Effect.gen(function* () {
        const living = yield* gateway([doubleFork])
        const first = yield* gateway([ownSession, doubleFork, inGroup, doubleForkWithoutEnvironment])
        yield* killed(first.started)
        assert.lengthOf(first.pids.filter(alive), 8, "they did not notice")
        // What it starts first is its own server.
        const next = yield* gateway(["echo 0"])
        yield* died(first.pids)
        assert.lengthOf(living.pids.filter(alive), 2)
        assert.isTrue(alive(next.pids[0]!))
        for (const { started } of [living, next]) started.stdin!.end()
        yield* died([...living.pids, ...next.pids].filter((pid) => pid > 0))
      }).pipe(Effect.scoped)
  )

  it.live("an exit without any care takes along what it started, also what left the group", () =>
    Effect.gen(function* () {
      const onSignal = "--import=data:text/javascript,process.on('SIGUSR2',()=>process.exit(7))"
      const scripts = [ownSession, inGroup, doubleForkWithoutEnvironment]
      const { pids, started } = yield* gateway(scripts, { NODE_OPTIONS: onSignal })
      assert.lengthOf(pids.filter(alive), 6)
      started.kill("SIGUSR2")
      yield* died(pids)
    }).pipe(Effect.scoped)
  )

  const owner = ownSelf()
  const sleeper = (mark: Owner) =>
    Effect.map(child("sleep", ["300"], { [TAG_VARIABLE]: makeTag(mark, 1, "test") }), ({ pid }) => pid!)

  it.live("is recognized only by the tag of an owner that has ended", () =>
    Effect.gen(function* () {
      const gone: Owner = { ...owner, run: makeRun(), started: owner.started + 1 }
      const orphan = yield* sleeper(gone)
      const kept = [
        yield* sleeper(owner),
        yield* sleeper({ ...gone, place: "1.1" }),
        yield* sleeper({ ...gone, started: 0 }),
        (yield* child("sleep", ["300"])).pid!,
        (yield* child("sleep", ["300"], { [TAG_VARIABLE]: "not a tag" })).pid!
      ]
      const ended = yield* sweep
      assert.include(ended, orphan)
      assert.isFalse(alive(orphan))
      assert.deepStrictEqual(kept.filter(alive), kept)
    }).pipe(Effect.scoped)
  )

  it.live("it is found by doctor, and ended with --fix only", () =>
    Effect.gen(function* () {
      // Once before: any gateway on this machine may end the orphan while the code of doctor is loaded.
      yield* run("doctor", "--offline")
      const orphan = yield* sleeper({ ...owner, run: makeRun(), started: owner.started + 1 })
      const found = yield* run("doctor", "--offline", "--fix", "--dry-run")
      assert.isTrue(alive(orphan))
      assert.match(found.stdout, new RegExp(`still run: process[^]*\\b${orphan}\\b`))
      yield* run("doctor", "--offline", "--fix")
      assert.isFalse(alive(orphan))
    }).pipe(Effect.scoped)
  )

  it.live("never includes the searching process or its ancestors", () =>
    Effect.gen(function* () {
      const tag = makeTag({ ...owner, run: makeRun(), started: owner.started + 1 }, 1, "test")
      const looks = `
        import * as Effect from "effect/Effect"
        const { sweep } = await import(${JSON.stringify(inFixtures("../../src/system/process/sweep.ts"))})
        const ended = await Effect.runPromise(sweep)
        console.log(JSON.stringify({ ended, pid: process.pid, parent: process.ppid }))`
      const above = yield* child("/bin/sh", ["-c", `${process.execPath} --input-type=module -e '${looks}'; true`], {
        [TAG_VARIABLE]: tag
      })
      const seen = JSON.parse(yield* firstLine(above)) as { ended: ReadonlyArray<number>; pid: number; parent: number }
      assert.strictEqual(seen.parent, above.pid)
      assert.notInclude(seen.ended, seen.parent)
      assert.notInclude(seen.ended, seen.pid)
    }).pipe(Effect.scoped)
  )

  it.live("a number that passed to another process between look and signal is left alone", () =>
    Effect.gen(function* () {
      const answering = yield* child("cat", [])
      const pid = answering.pid!
      const { started } = entryOf(pid)!
      signal({ pid, started: started - 1 }, "SIGKILL")
      answering.stdin.write("still here\n")
      assert.strictEqual(yield* Effect.timeout(firstLine(answering), "10 seconds"), "still here")
      signal({ pid, started }, "SIGKILL")
      yield* died([pid])
    }).pipe(Effect.scoped)
  )
})
