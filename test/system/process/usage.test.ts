/** What processes use, from the processes of this test. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { usageOf } from "../../../src/system/process/usage.ts"

const MB = 1024 * 1024

describe.skipIf(process.platform !== "linux")("the usage of processes", () => {
  it("counts the memory and processor time of a process and its descendants", async () => {
    const child = spawn("/bin/sh", ["-c", "sleep 60 & sleep 60 & echo there; wait"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"]
    })
    try {
      await once(child.stdout, "data")
      const used = await usageOf(new Set([child.pid!, process.pid]))
      assert.strictEqual(used?.get(child.pid!)?.processes, 3)
      const own = used?.get(process.pid)?.rssBytes ?? 0
      assert.isAbove(own, 20 * MB)
      assert.isAbove(used?.get(process.pid)?.cpuMs ?? 0, 0)
    } finally {
      process.kill(-child.pid!, "SIGKILL")
    }
  })

  it("has nothing about a process that has ended", async () => {
    const used = await usageOf(new Set([2_147_483_646]))
    assert.strictEqual(used?.size, 0)
  })
})
