/** `mcp-live validate --secrets`: real commands and files, one run each. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { runHere } from "./here.ts"
import { configFile, run } from "./program.ts"

const CANARY = "cAnArY-vAlIdAtE-0123456789"

/** A configuration whose command leaves a mark when it is run; both beside the file. */
const prepared = Effect.gen(function* () {
  const file = yield* configFile("{}")
  const folder = dirname(file)
  const mark = join(folder, "mark")
  writeFileSync(join(folder, "token"), `${CANARY}\n`)
  const script = `require("node:fs").appendFileSync(${JSON.stringify(mark)}, "x"); process.stdout.write(process.env.T)`
  const config = {
    mcp: {
      secrets: {
        exec: { told: { command: "node", args: ["-e", script], env: { T: `secret://file${folder}/token` } } }
      },
      servers: {
        fs: {
          command: "no-such-command-anywhere",
          env: { A: "Bearer secret://exec/told", B: "secret://env/SHORT" },
          args: ["--key={secret://exec/told}"]
        },
        web: { url: "https://mcp.invalid/mcp", headers: { "X-Key": `secret://file${folder}/token` } },
        off: { enabled: false, command: "x", env: { A: "secret://env/NOT_THERE" } }
      }
    },
    agents: {
      list: [
        { id: "main" },
        { id: "other", mcp: { servers: { web: { headers: { "X-Key": "secret://env/NOT_THERE" } } } } }
      ]
    }
  }
  writeFileSync(file, JSON.stringify(config, null, 2))
  return { file, folder, mark }
})

const options = { env: { SHORT: "abc" } }

interface Document {
  readonly ok: boolean
  readonly secrets?: ReadonlyArray<{
    readonly server: string
    readonly place: string
    readonly ok: boolean
    readonly reason?: string
  }>
}
const document = (stdout: string): Document => JSON.parse(stdout) as Document

describe("mcp-live validate", () => {
  it.live("without --secrets nothing is run or read", () =>
    Effect.gen(function* () {
      const { file, mark } = yield* prepared
      const { code, stdout } = yield* runHere(["validate", "--config", file], options)
      assert.strictEqual(code, 0)
      assert.notInclude(stdout, "secret://")
      assert.notProperty(
        document((yield* runHere(["validate", "--json", "--config", file], options)).stdout),
        "secrets"
      )
      assert.isFalse(existsSync(mark))
    }).pipe(Effect.scoped)
  )

  it.live(
    "with --secrets says of each reference whether it has a value, and never the value; exit code 1 when one has none",
    () =>
      Effect.gen(function* () {
        const { file, folder } = yield* prepared
        const { code, stderr, stdout } = yield* run(["validate", "--secrets", "--config", file], options)
        assert.strictEqual(code, 1, stderr)
        const lines = stdout
          .trim()
          .split("\n")
          .map((line) => line.split(/ {2,}/))
        assert.deepStrictEqual(lines.slice(1), [
          ["SERVER", "PLACE", "REFERENCE", "RESULT"],
          ["fs", "env.A", "secret://exec/told", "ok"],
          ["fs", "env.B", "secret://env/SHORT", "ok"],
          ["fs", "args[0]", "secret://exec/told", "ok"],
          ["web", "headers.X-Key", `secret://file${folder}/token`, "ok"],
          ["web", "headers.X-Key", "secret://env/NOT_THERE", "the environment variable is not set"]
        ])
        // Neither a value nor that one is too short to be masked.
        assert.notInclude(stdout + stderr, CANARY)
        assert.notInclude(stdout + stderr, "too short")
        assert.notMatch(stdout, new RegExp(String.raw`\b${CANARY.length}\b`))
      }).pipe(Effect.scoped)
  )

  it.live("--agent tries each reference of one agent once; --json prints one document", () =>
    Effect.gen(function* () {
      const { file, mark } = yield* prepared
      const { code, stdout } = yield* runHere(
        ["validate", "--secrets", "--json", "--agent", "main", "--config", file],
        options
      )
      const { ok, secrets } = document(stdout)
      assert.deepStrictEqual([code, ok, secrets?.length], [0, true, 4])
      assert.isTrue(secrets?.every((trial) => trial.ok))
      assert.notInclude(stdout, CANARY)
      assert.strictEqual(readFileSync(mark, "utf8"), "x")
      const other = yield* runHere(["validate", "--secrets", "--json", "--agent", "other", "--config", file], options)
      assert.deepStrictEqual([other.code, document(other.stdout).ok], [1, false])
    }).pipe(Effect.scoped)
  )

  it.live("an invalid configuration is reported, and no provider is asked for a secret", () =>
    Effect.gen(function* () {
      const { file, mark } = yield* prepared
      const { code, stdout } = yield* runHere(["validate", "--secrets", "--agent", "nobody", "--config", file], options)
      assert.deepStrictEqual([code, stdout, existsSync(mark)], [2, "", false])
      const wrong = yield* configFile({ mcpServers: { a: { command: "a", env: { A: "secret://vualt/x" } } } })
      const refused = yield* runHere(["validate", "--secrets", "--config", wrong])
      assert.strictEqual(refused.code, 2)
      assert.match(
        refused.stderr,
        /openclaw\.json:6: mcpServers\.a\.env\.A: there is no secret provider 'vualt', did you mean 'vault'\?/
      )
    }).pipe(Effect.scoped)
  )

  it.live("explains --secrets", () =>
    Effect.gen(function* () {
      assert.include((yield* runHere(["validate", "--help"])).stdout, "--secrets")
    })
  )
})
