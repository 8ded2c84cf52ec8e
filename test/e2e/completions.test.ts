/** Tab in a shell: the names of tools, which no server is started for. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { inFolder } from "../support/folder.ts"
import { hostile } from "../fixtures/servers.ts"
import { runHere } from "./here.ts"
import { configFile, PLAIN } from "./program.ts"
import { program } from "./terminal.ts"

const BASH = "/bin/bash"

/** What Tab offers for the last of these words. */
const offered = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const script = `
    source <(mcp-live --completions bash)
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _mcp_live_with_tools mcp-live "\${@: -1}" "\${@: -2:1}"
    printf '%s\\n' "\${COMPREPLY[@]}"`
  return Effect.promise(
    () =>
      new Promise<ReadonlyArray<string>>((resolve, reject) => {
        execFile(
          BASH,
          ["-c", script, "bash", ...words],
          { env: { ...process.env, ...PLAIN, ...env } },
          (error, stdout) => (error === null ? resolve(stdout.trim().split("\n")) : reject(error))
        )
      })
  )
}

describe.skipIf(!existsSync(BASH))("Tab in bash", () => {
  it.live("completes the name of a tool that was listed before, and starts no server for it", () =>
    Effect.gen(function* () {
      const place = yield* inFolder
      const starts = join(place, "starts")
      const server = hostile()
      const counted = {
        command: "/bin/sh",
        args: ["-c", `echo >> "${starts}"; exec "$@"`, "sh", server.command, ...server.args]
      }
      const config = yield* configFile({ mcp: { servers: { fs: counted } } })
      writeFileSync(join(place, "mcp-live"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
      chmodSync(join(place, "mcp-live"), 0o755)
      const env = {
        PATH: [place, process.env["PATH"]].join(delimiter),
        MCP_LIVE_HOME: join(place, "home"),
        MCP_LIVE_CONFIG: config
      }
      assert.strictEqual((yield* runHere(["tools"], { env })).code, 0)
      assert.isTrue(existsSync(starts))
      writeFileSync(starts, "")
      assert.deepStrictEqual(yield* offered(["mcp-live", "call", "mcp_fs_ec"], env), ["mcp_fs_echo"])
      assert.include(yield* offered(["mcp-live", "tools", "mcp_fs_er"], env), "mcp_fs_error")
      assert.deepStrictEqual(yield* offered(["mcp-live", "call", "fs/ec"], env), ["fs/echo"])
      assert.strictEqual(readFileSync(starts, "utf8"), "")
    }).pipe(Effect.scoped)
  )
})
