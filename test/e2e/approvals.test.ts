/** Tools that are asked about, on a command line where nobody can be asked. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { serverPath } from "../fixtures/servers.ts"
import { runHere } from "./here.ts"
import { configFile, run } from "./program.ts"

const NAME = "mcp_files_write_file"

/** A configuration, and the arguments of a call that would leave a file beside it. */
const setUp = (rules: object, via: typeof run = runHere) =>
  Effect.gen(function* () {
    const folder = dirname(yield* configFile({}))
    const config = yield* configFile({
      gateway: { tools: rules },
      mcp: { servers: { files: { command: process.execPath, args: [serverPath("filesystem"), folder] } } }
    })
    const path = join(folder, "new.txt")
    const env = { MCP_LIVE_HOME: join(folder, "data") }
    const call = (...flags: ReadonlyArray<string>) =>
      via(["call", NAME, `path=${path}`, "content=x", "--config", config, ...flags], { env })
    return { call, env, isWritten: () => existsSync(path) }
  })

describe("mcp-live call of a tool that is asked about", () => {
  it.live("does nothing without a terminal, says why, and exits with 1", () =>
    Effect.gen(function* () {
      const { call, isWritten } = yield* setUp({ ask: ["files/write_*"] }, run)
      const { code, stdout } = yield* call()
      assert.strictEqual(code, 1)
      assert.include(stdout, "needs the approval of a person, and nobody can be asked here (ask: files/write_*)")
      assert.isFalse(isWritten())
    })
  )

  it.live("is made with --yes, once: nothing is approved for the next call", () =>
    Effect.gen(function* () {
      const { call, env, isWritten } = yield* setUp({ ask: ["files/write_*"] })
      assert.strictEqual((yield* call("--yes")).code, 0)
      assert.isTrue(isWritten())
      assert.include((yield* runHere(["approvals", "list"], { env })).stdout, "Nothing is approved for good.")
      assert.strictEqual((yield* call()).code, 1)
    })
  )

  it.live("that is denied stays denied with --yes", () =>
    Effect.gen(function* () {
      const { call, isWritten } = yield* setUp({ ask: ["files/*"], deny: ["files/write_file"] })
      const { code, stdout } = yield* call("--yes")
      assert.strictEqual(code, 1)
      assert.include(stdout, "is not allowed here (deny: files/write_file)")
      assert.isFalse(isWritten())
    })
  )
})
