/** What somebody reads whose Node is too old, and that the program works there: with a real one, where the system has one. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { nodeProblem } from "../../src/system/supportedNode.ts"
import { hostile } from "../fixtures/servers.ts"
import { leftOf } from "../support/alive.ts"
import { childrenOf, configFile, run, start } from "./program.ts"

const PROJECT = fileURLToPath(new URL("../../", import.meta.url))

const versionOf = (node: string): string => {
  try {
    return execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim()
  } catch {
    return ""
  }
}

const old = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => ({ node: join(folder, "node"), version: versionOf(join(folder, "node")) }))
  .find(({ version }) => version !== "" && nodeProblem(version) !== undefined)

describe("a Node that is too old", () => {
  for (const entry of ["mcp-live", "mcp-live/testing"]) {
    it.runIf(old !== undefined)(`is reported by ${entry} as the only error`, () => {
      const { node, version } = old!
      const script = `import(${JSON.stringify(entry)}).catch((error) => { console.log(error.message); process.exitCode = 3 })`
      const { status, stderr, stdout } = spawnSync(node, ["--input-type=module", "-e", script], {
        cwd: PROJECT,
        encoding: "utf8"
      })
      assert.deepStrictEqual([status, stdout, stderr], [3, `${nodeProblem(version)}\n`, ""])
    })
  }
})

describe.skipIf(process.platform !== "linux" || old === undefined)("mcp-live on a Node that is too old", () => {
  const started = Effect.gen(function* () {
    const config = yield* configFile({ mcp: { servers: { fs: hostile() } } })
    const launcher = yield* start(["start", "--config", config], { node: old!.node })
    yield* launcher.until(/fs +stdio +\S+ +Ready/)
    const own = childrenOf(launcher.pid)
    return { launcher, processes: [...own, ...own.flatMap(childrenOf)] }
  })

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    it.live(
      `passes ${signal} on to the process that runs, and ends with its exit code when its servers have ended`,
      () =>
        Effect.gen(function* () {
          const { launcher, processes } = yield* started
          assert.lengthOf(processes, 2)
          launcher.signal(signal)
          const { code } = yield* launcher.exited
          assert.strictEqual(code, 0)
          assert.deepStrictEqual(yield* leftOf(processes), [])
        }).pipe(Effect.scoped)
    )
  }

  it.live("is found by the number that the shell knows", () =>
    Effect.gen(function* () {
      const { launcher, processes } = yield* started
      const { code, stderr } = yield* run(["status", "--gateway", String(launcher.pid)])
      assert.deepStrictEqual([code, stderr.trim()], [0, `mcp-live: using the running gateway ${processes[0]} (start)`])
    }).pipe(Effect.scoped)
  )

  it.live("leaves no process when the process that the shell has started is killed", () =>
    Effect.gen(function* () {
      const { launcher, processes } = yield* started
      assert.lengthOf(processes, 2)
      launcher.signal("SIGKILL")
      assert.deepStrictEqual(yield* leftOf(processes), [])
    }).pipe(Effect.scoped)
  )
})
