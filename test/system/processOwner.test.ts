import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { setImmediate as nextTurn } from "node:timers/promises"
import { exists, isOwnerAlive, thisProcess } from "../../src/system/processOwner.ts"
import { entryOf } from "../../src/system/process/procfs.ts"
import { alive } from "../support/alive.ts"

/** Another program takes the place of the shell, so that nobody waits for what the shell has started. */
const SCRIPT = "exec 3<&0; cat <&3 >/dev/null & echo $!; exec sleep 60"
const commandOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, "utf8").trim()

/** A process that has ended, and whose parent never waits for it; for the Scope. */
const unreaped = Effect.acquireRelease(
  Effect.promise(async () => {
    const parent = spawn("sh", ["-c", SCRIPT], { stdio: ["pipe", "pipe", "inherit"] })
    for await (const line of createInterface({ input: parent.stdout })) {
      while (commandOf(parent.pid!) !== "sleep") await nextTurn()
      parent.stdin.end()
      const pid = Number(line)
      while (alive(pid)) await nextTurn()
      return { parent, pid }
    }
    throw new Error("it did not start")
  }),
  ({ parent }) => Effect.sync(() => parent.kill("SIGKILL"))
)

describe("the owner of a file", () => {
  it("is alive as long as its process runs", () => {
    assert.isTrue(exists(process.pid))
    assert.notStrictEqual(isOwnerAlive(thisProcess()), false)
  })

  it.live.skipIf(process.platform !== "linux")("is gone when its process has ended, also if nobody waits for it", () =>
    Effect.gen(function* () {
      const { pid } = yield* unreaped
      assert.isTrue(entryOf(pid)?.dead)
      assert.isFalse(exists(pid))
      assert.isFalse(isOwnerAlive({ ...thisProcess(), pid, started: String(entryOf(pid)?.started) }))
    }).pipe(Effect.scoped)
  )
})
