/** Other people's clients before `mcp-live serve`: the inspector's command line, and mcporter. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { folder, launched, listening, placeFor, real, type Loose } from "../integration/serve/program.ts"

const inClients = (path: string) => fileURLToPath(new URL(`clients/node_modules/.bin/${path}`, import.meta.url))

/** Each of them starts several programs. */
const PATIENT_MS = 180_000

const servers = { all: real("everything", ["stdio"]) }

/** A client's own configuration with our server in it, over each way in. */
const doors = Effect.gen(function* () {
  const place = yield* placeFor({ mcp: { servers } })
  const { stderr, url } = yield* listening(place)
  const token = readFileSync(/the token in (\S+)/.exec(stderr())![1]!, "utf8")
  const home = yield* folder
  const { args, command } = launched(place)
  const headers = { Authorization: `Bearer ${token}` }
  const write = (name: string, http: object) => {
    const file = join(home, name)
    writeFileSync(file, JSON.stringify({ mcpServers: { stdio: { command, args }, http } }))
    return file
  }
  return {
    home,
    ofInspector: write("inspector.json", { type: "streamable-http", url, headers }),
    ofMcporter: write("mcporter.json", { baseUrl: url, headers })
  }
})

const run = (program: string, home: string, args: ReadonlyArray<string>) =>
  Effect.promise(() =>
    promisify(execFile)(process.execPath, [inClients(program), ...args], {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home },
      timeout: 50_000,
      maxBuffer: 8 * 1024 * 1024
    })
  ).pipe(Effect.map(({ stdout }) => stdout))

describe("mcp-live serve, with clients of others", () => {
  for (const door of ["stdio", "http"]) {
    it.live(
      `the inspector lists, calls, reads and fills in over ${door}`,
      () =>
        Effect.gen(function* () {
          const { home, ofInspector } = yield* doors
          const inspect = (...args: ReadonlyArray<string>): Effect.Effect<Loose> =>
            Effect.map(
              run("mcp-inspector", home, ["--cli", "--config", ofInspector, "--server", door, ...args]),
              (stdout) => JSON.parse(stdout)
            )
          const { tools } = yield* inspect("--method", "tools/list")
          assert.isTrue(tools.some(({ name }: Loose) => name === "mcp_all_echo"))
          const called = yield* inspect(
            "--method",
            "tools/call",
            "--tool-name",
            "mcp_all_echo",
            "--tool-arg",
            "message=hello"
          )
          assert.include(called.content[0].text, "Echo: hello")
          const { resources } = yield* inspect("--method", "resources/list")
          const read = yield* inspect("--method", "resources/read", "--uri", resources[0].uri)
          assert.include(read.contents[0].text, "EXTERNAL_UNTRUSTED_CONTENT")
          const filled = yield* inspect("--method", "prompts/get", "--prompt-name", "mcp_all_simple-prompt")
          assert.strictEqual(filled.messages[0].role, "user")
        }).pipe(Effect.scoped),
      PATIENT_MS
    )

    it.live(
      `mcporter lists and calls over ${door}`,
      () =>
        Effect.gen(function* () {
          const { home, ofMcporter } = yield* doors
          const mcporter = (...args: ReadonlyArray<string>) => run("mcporter", home, ["--config", ofMcporter, ...args])
          const { tools } = JSON.parse(yield* mcporter("list", door, "--json")) as Loose
          assert.isTrue(tools.some(({ name }: Loose) => name === "mcp_all_echo"))
          assert.include(yield* mcporter("call", `${door}.mcp_all_echo`, "message=hello"), "Echo: hello")
        }).pipe(Effect.scoped),
      PATIENT_MS
    )
  }
})
