/** The package as it would be published, in a folder of a user's own, started by acpx as its documentation says. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { serverPath } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"
import { outcomes, said, stopReason, type Frame } from "./acpx/run.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const { acpx } = (JSON.parse(readFileSync(at("acpx/package.json"), "utf8")) as { dependencies: { acpx: string } })
  .dependencies

const INSTALL = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"]
const ECHO = '/call mcp__everything__echo {"message":"hello"}'

/** Node as the tests have it, and a home in which nothing is. */
const environment = (home: string, more: Record<string, string> = {}) => ({
  ...more,
  PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
  HOME: home,
  npm_config_update_notifier: "false"
})

const typed = (command: string, args: ReadonlyArray<string>, options: { cwd: string; env?: NodeJS.ProcessEnv }) =>
  Effect.promise(() => promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024, ...options }))

const npm = (args: ReadonlyArray<string>, cwd: string) =>
  typed("npm", args, { cwd, env: { ...process.env, ...environment(process.env["HOME"] ?? cwd) } })

describe("the packed project", () => {
  it.live(
    'is what `npx acpx --agent "npx mcp-live acp"` needs to call a tool of the client\'s own server',
    () =>
      Effect.gen(function* () {
        const folder = yield* inFolder
        const [home, user] = [join(folder, "home"), join(folder, "user")]
        for (const each of [home, user]) mkdirSync(each)
        const { stdout: packed } = yield* npm(["pack", "--silent", "--pack-destination", folder], at("../../"))
        writeFileSync(join(user, "package.json"), JSON.stringify({ private: true }))
        const archive = join(folder, packed.trim().split("\n").at(-1)!)
        yield* npm([...INSTALL, archive, `acpx@${acpx}`], user)
        const everything = {
          name: "everything",
          command: process.execPath,
          args: [serverPath("everything"), "stdio"],
          env: []
        }
        writeFileSync(join(user, "mcp.json"), JSON.stringify({ mcpServers: [everything] }))
        const { stderr, stdout } = yield* typed(
          "npx",
          ["acpx", "--agent", "npx mcp-live acp", "--mcp-config", "mcp.json", "--format", "json", "exec", ECHO],
          { cwd: user, env: environment(home, { npm_config_offline: "true" }) }
        )
        const frames = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Frame)
        const run = { frames, code: 0 }
        assert.deepStrictEqual(outcomes(run), [{ status: "completed", text: "Echo: hello" }], stderr)
        assert.strictEqual(said(run), "Echo: hello")
        assert.strictEqual(stopReason(run), "end_turn")
      }),
    240_000
  )
})
