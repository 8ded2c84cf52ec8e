/**
 * The configuration that native MCP was asked for, as it is written: through `validate`, `start` and the library. What would come
 * from the network (packages, Google's secrets) is stood in for by programs of the same names; the server that is only there
 * on the internet is not started.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { McpLive, McpRuntime } from "../../src/index.ts"
import { REQUIRED } from "../fixtures/nativeMcp.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { runHere } from "./here.ts"
import { standing } from "../support/cli.ts"
import { configFile, run } from "./program.ts"

/** Writes down how it was started, and is a server. */
const starter = (folder: string, name: string) => `#!/bin/sh
printf '%s\\n' "$*" "$LINKEDIN_EMAIL" "$LINKEDIN_PASSWORD" > "${folder}/${name}.txt"
exec "${process.execPath}" "${inFixtures("hostTools.ts")}"
`

const programs = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-live-written-"))
    for (const name of ["npx", "uvx"]) writeFileSync(join(folder, name), starter(folder, name), { mode: 0o755 })
    const gcloud = `#!/bin/sh\nfor one in "$@"; do case "$one" in *linkedin-*) printf %s "value-of-$one"; exit;; esac; done\nexit 1\n`
    writeFileSync(join(folder, "gcloud"), gcloud, { mode: 0o755 })
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const linesOf = (folder: string, name: string) =>
  readFileSync(join(folder, `${name}.txt`), "utf8")
    .trimEnd()
    .split("\n")

const assertStarted = (folder: string) => {
  const [args, email, password] = linesOf(folder, "uvx")
  assert.strictEqual(args, "--from git+https://github.com/adhikasp/mcp-linkedin mcp-linkedin")
  assert.match(email!, /^value-of-.*linkedin-email/)
  assert.match(password!, /^value-of-.*linkedin-password/)
  assert.strictEqual(linesOf(folder, "npx")[0], "-y @modelcontextprotocol/server-filesystem /home/user/docs")
}

const surroundings = (folder: string) => ({
  PATH: `${folder}${delimiter}${process.env["PATH"]}`,
  TAVILY_API_KEY: "tvly-0123456789",
  GOOGLE_CLOUD_PROJECT: "a-project"
})

/** Without the agent whose server is on the internet. */
const offline = () => {
  const { agents } = JSON.parse(REQUIRED) as { readonly agents: { readonly defaults: object } }
  return { agents: { defaults: agents.defaults } }
}

describe.skipIf(process.platform === "win32")("the configuration of native MCP, as it is written", () => {
  it.live("is valid", () =>
    Effect.gen(function* () {
      const file = yield* configFile(REQUIRED)
      const { code, stderr, stdout } = yield* run(["validate", "--config", file], { env: { TAVILY_API_KEY: "tvly-1" } })
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, "is valid; agents: research")
    }).pipe(Effect.scoped)
  )

  it.live("starts its servers, and lists their tools", () =>
    Effect.gen(function* () {
      const folder = yield* programs
      const file = yield* configFile(offline())
      const { code, stderr, stdout } = yield* run(["start", "--config", file], {
        env: surroundings(folder),
        stdin: "/tools\n"
      })
      assert.strictEqual(code, 0, stderr)
      for (const server of ["linkedin", "filesystem"]) {
        assert.match(stdout, new RegExp(`${server} +stdio +\\S+ +Ready`), stderr)
        assert.include(stdout, `mcp_${server}_add`)
      }
      assertStarted(folder)
    }).pipe(Effect.scoped)
  )

  it.live("is what the library takes", () =>
    Effect.gen(function* () {
      const folder = yield* programs
      const file = yield* configFile(offline())
      yield* standing({ env: surroundings(folder) })
      const names = yield* McpRuntime.use((runtime) =>
        Effect.andThen(
          runtime.ready,
          Effect.map(runtime.tools, (tools) => tools.map(({ name }) => name))
        )
      ).pipe(Effect.provide(McpLive({ config: file })))
      assert.includeMembers([...names], ["mcp_linkedin_add", "mcp_filesystem_add"])
      assertStarted(folder)
    }).pipe(Effect.scoped)
  )

  it.live("resolves each form of reference when the server starts, by the commands where no SDK is installed", () =>
    Effect.gen(function* () {
      const folder = yield* programs
      const answer = (name: string, words: string) =>
        writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$*" >> "${folder}/asked"\n${words}\n`, {
          mode: 0o755
        })
      answer("gcloud", `case "$*" in *missing*) exit 1;; esac; printf value-of-google`)
      answer("aws", `printf '{"SecretString":"value-of-amazon"}'`)
      const shell = { command: process.execPath, args: [inFixtures("shell.ts")] }
      const file = yield* configFile({
        mcp: {
          servers: {
            shell: {
              ...shell,
              env: {
                G: "secret://gcp/SECRET_NAME",
                V: "secret://gcp/SECRET_NAME#7",
                A: "secret://aws/SECRET_NAME",
                E: "secret://env/VAR_NAME"
              }
            },
            closed: { ...shell, env: { G: "secret://gcp/missing" } }
          }
        }
      })
      const env = { ...surroundings(folder), AWS_REGION: "eu-central-1", VAR_NAME: "value-of-the-host" }
      const script = `test "$G$V$A$E" = value-of-googlevalue-of-googlevalue-of-amazonvalue-of-the-host && echo resolved; echo "$A"`
      const called = yield* run(["call", "shell/sh", `script=${script}`, "--raw", "--config", file], { env })
      assert.deepStrictEqual(called.stdout.trim().split("\n"), ["resolved", "[REDACTED]"], called.stderr)
      const asked = readFileSync(join(folder, "asked"), "utf8")
      assert.match(asked, /^secretsmanager get-secret-value --secret-id=SECRET_NAME /m)
      assert.match(asked, /^secrets versions access (?=.*\b7\b).*SECRET_NAME/m)
      const status = yield* runHere(["status", "--config", file], { env })
      assert.match(status.stdout, /^closed .*Failed/m)
      assert.include(status.stdout, "secret://gcp/missing")
      assert.notInclude(status.stdout + status.stderr, "value-of")
    }).pipe(Effect.scoped)
  )
})
