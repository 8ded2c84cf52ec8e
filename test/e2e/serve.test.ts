import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { everything, serverPath } from "../fixtures/servers.ts"
import { SERVE_PORT } from "../../src/schemas/defaults/Serve.ts"
import { runAt } from "../support/cli.ts"
import { configFile, run, start } from "./program.ts"
import { some } from "../support/full.ts"

const PAGE = readFileSync(fileURLToPath(new URL("../../docs/serve.md", import.meta.url)), "utf8")

/** Every command of the page, without what is said of it. */
const COMMANDS = [...PAGE.matchAll(/^ {4}mcp-live (.*)$/gm)].map(([, words]) =>
  words!.replace(/\s+#.*$/, "").split(/\s+/)
)

const TOKEN = "token-out-of-a-file"

/** A directory as the commands of the page want it. */
const directory = Effect.map(
  configFile({
    agents: { list: [{ id: "main", default: true }, { id: "coder" }] },
    mcp: {
      servers: {
        all: { command: process.execPath, args: [serverPath("everything"), "stdio"] },
        files: { command: process.execPath, args: [serverPath("filesystem"), "."] }
      }
    }
  }),
  (file) => {
    const place = dirname(file)
    writeFileSync(join(place, "token"), `${TOKEN}\n`, { mode: 0o600 })
    return { place, env: { MCP_LIVE_HOME: join(place, "home") } }
  }
)

/** What would be fetched, or lies elsewhere, is replaced by what is here; the port by a free one. */
const here = Effect.fnUntraced(function* (written: ReadonlyArray<string>, place: string) {
  const http = written.indexOf("--http")
  const isGiven = /^\d+$/.test(written[http + 1] ?? "")
  const args = http === -1 ? written : written.toSpliced(http + 1, isGiven ? 1 : 0, "0")
  if (args.includes("--url")) {
    const { url } = yield* everything("streamableHttp")
    return args.map((arg) => (arg.startsWith("https://") ? url : arg))
  }
  const end = args.indexOf("--")
  if (end === -1) return args
  assert.deepStrictEqual(args.slice(end + 1), ["npx", "-y", "@modelcontextprotocol/server-filesystem", "/data"])
  return [...args.slice(0, end + 1), process.execPath, serverPath("filesystem"), place]
})

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "e2e", version: "0" } }
}

const post = (url: string, token: string) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify(INITIALIZE)
    })
    return { status: response.status, text: await response.text() }
  })

describe("the commands of docs/serve.md", () => {
  it("are as many as there are", () => {
    assert.lengthOf(COMMANDS, 9)
  })

  it("name the port that is taken without one", () => {
    assert.include(PAGE, `--http                       # on port ${SERVE_PORT} of this machine`)
  })

  for (const args of some(COMMANDS, 2)) {
    it.live(`mcp-live ${args.join(" ")}`, () =>
      Effect.gen(function* () {
        const { env, place } = yield* directory
        const words = yield* here(args, place)
        const program = yield* start(words, { cwd: place, env })
        if (args.includes("--http")) {
          const [, url] = yield* program.until(/serving MCP at (\S+)/)
          const made = /the token in (\S+)/.exec(program.stderr())?.[1]
          assert.strictEqual(made === undefined, args.includes("--token-file"))
          const { status, text } = yield* post(url!, made === undefined ? TOKEN : readFileSync(made, "utf8"))
          assert.strictEqual(status, 200)
          assert.match(text, /MCP servers behind this one: (?:all, files|server-filesystem)\./)
          assert.strictEqual(program.stdout(), "")
          program.signal("SIGTERM")
        } else {
          program.type(JSON.stringify(INITIALIZE))
          yield* program.until(/"serverInfo"/)
          program.type(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }))
          // Again and again: the server starts in its own time, and a list waits for it only briefly.
          const ask = Effect.sync(() => program.type(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" })))
          const listed = program.until(
            args.includes("--server") ? /"read_file"/ : args.includes("--url") ? /"echo"/ : /mcp_all_echo/
          )
          yield* Effect.raceFirst(listed, Effect.forever(Effect.andThen(ask, Effect.sleep("1 second"))))
          // The last line may have come in part only.
          const whole = program.stdout().split("\n").slice(0, -1)
          assert.isNotEmpty(whole)
          for (const line of whole) assert.strictEqual(JSON.parse(line).jsonrpc, "2.0")
          program.signal("SIGTERM")
        }
        assert.strictEqual((yield* program.exited).code, 0)
      }).pipe(Effect.scoped)
    )
  }

  it.live("the client's configuration starts it", () =>
    Effect.gen(function* () {
      const block = /^ {4}\{\n {6}"mcpServers"[\s\S]*?^ {4}\}$/m.exec(PAGE)![0]
      const { args, command } = (JSON.parse(block) as { mcpServers: { all: { command: string; args: Array<string> } } })
        .mcpServers.all
      assert.strictEqual(command, "mcp-live")
      const { env, place } = yield* directory
      const own = args.map((arg) => arg.replace("/home/me", place))
      const program = yield* start(own, { cwd: place, env })
      program.type(JSON.stringify(INITIALIZE))
      yield* program.until(/"serverInfo"/)
      program.signal("SIGTERM")
      assert.strictEqual((yield* program.exited).code, 0)
    }).pipe(Effect.scoped)
  )
})

describe("mcp-live serve: wrong use", () => {
  for (const [args, words] of [
    [["serve", "--json"], "serve: stdout is for the protocol"],
    [["serve", "7730"], 'Unexpected positional argument: "7730"'],
    [["serve", "npx", "--", "thing"], 'Unexpected positional argument: "npx"'],
    [["serve", "npx", "thing"], "the command of a server must follow --: mcp-live serve -- COMMAND ARGS…"],
    [["serve", "npx", "-y", "thing"], "the command of a server must follow --: mcp-live serve -- COMMAND ARGS…"],
    [["serve", "--sever", "files"], "Unrecognized flag: --sever in command mcp-live serve; did you mean --server (see"],
    [["serve", "--"], "there is no command after --"],
    [["serve", "--", "no-such-command"], 'the command "no-such-command" was not found'],
    [["serve", "--env", "PATH=/nowhere", "--", "node"], 'the command "node" was not found'],
    [["serve", "--cwd", "/", "--", "./openclaw.json"], 'the command "/openclaw.json" was not found'],
    [["serve", "--", "./openclaw.json"], "cannot be executed"],
    [["serve", "--cwd", "nowhere", "--", "thing"], "/nowhere' does not exist (see"],
    [["serve", "--env", "A=secret://evn/B", "--", "thing"], "there is no secret provider 'evn'"],
    [["serve", "--url", "http://10.1.2.3/mcp"], "if you mean it, add --allow-private"],
    [["serve", "--header", "A: b"], "a command or --url is missing"],
    [["serve", "--header", "nonsense", "--url", "https://a.example"], "--header must be"],
    [["serve", "--env", "NOBODY_HAS_SET_IT", "--", "thing"], "this variable is not set"],
    [["serve", "--url", "https://a.example", "--", "thing"], "not both"],
    [["serve", "--url", "a.example"], "http or https"],
    [["serve", "--isolate", "session"], "--isolate is for --http"],
    [["serve", "--server", "file"], "did you mean 'files'"],
    [["serve", "--server", "all", "--", "thing"], "--server chooses from a configuration: leave it out here"],
    [["serve", "--port", "7730"], "--port is for --http"],
    [["serve", "--token-file", "token"], "--token-file is for --http"],
    [["serve", "--host", "::1"], "--host is for --http"],
    [["serve", "--allow-host", "a.com"], "--allow-host is for --http"],
    [["serve", "--allow-origin", "http://a.com"], "--allow-origin is for --http"],
    [["serve", "--http", "--host", "localhost"], '--host "localhost" must be an address of this machine'],
    [["serve", "--http", "--allow-host", "*"], '--allow-host "*" must be a name as in a URL'],
    [["serve", "--http", "--allow-origin", "*"], "any page that somebody opens could ask here"],
    [["mcp-server", "--allow-origin", "http://a.com"], "--allow-origin is for --http"],
    [["mcp-server", "--http", "--allow-origin", "*"], "any page that somebody opens could ask here"],
    [["serve", "--http", "70000"], "70000 is not a port"],
    [["serve", "--http", "0", "--agent", "nobody"], "There is no agent 'nobody'"],
    [["serve", "--agent", "nobody"], "There is no agent 'nobody'"],
    [["serve", "--config", "none.json"], "none.json"]
  ] as const) {
    it.live(`mcp-live ${args.join(" ")} is one line on stderr, and exit code 2`, () =>
      Effect.gen(function* () {
        const { env, place } = yield* directory
        const { code, stderr, stdout } = yield* runAt({ cwd: place, env }, ...args)
        assert.strictEqual(code, 2)
        assert.strictEqual(stdout, "")
        assert.include(stderr, words)
        assert.lengthOf(stderr.trim().split("\n"), 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("a port that another program uses is reported in words, with exit code 1", () =>
    Effect.gen(function* () {
      const { env, place } = yield* directory
      const first = yield* start(["serve", "--http", "0"], { cwd: place, env })
      const [, port] = yield* first.until(/serving MCP at http:\/\/127\.0\.0\.1:(\d+)/)
      const { code, stderr } = yield* run(["serve", "--http", port!], { cwd: place, env })
      assert.strictEqual(code, 1)
      assert.include(
        stderr,
        `port ${port} of this machine cannot be listened on: another program has it; choose another one, or 0`
      )
      first.signal("SIGTERM")
      yield* first.exited
    }).pipe(Effect.scoped)
  )
})
