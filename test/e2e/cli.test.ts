import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hostile, serverPath } from "../fixtures/servers.ts"
import { alive, leftOf } from "../support/alive.ts"
import { runHere } from "./here.ts"
import { childrenOf, configFile, run, start } from "./program.ts"
import { pauses } from "../support/pause.ts"
import { isFull, rowsInFull } from "../support/full.ts"

const EXAMPLE = ["--config", "examples/openclaw.json"]
const EVERYTHING = { mcp: { servers: { everything: { command: process.execPath, args: [serverPath("everything")] } } } }
/** One of the servers of the example, alone. */
const FILES = Effect.map(
  configFile({
    mcp: {
      servers: { filesystem: { command: process.execPath, args: [serverPath("filesystem"), "examples/workspace"] } }
    }
  }),
  (file) => ["--config", file]
)
const LIST = "mcp_filesystem_list_directory"

const stdioServer = (scenario: string, extra: Record<string, unknown> = {}) => ({ ...hostile(scenario), ...extra })

interface Printed {
  readonly agent: string
  readonly tools: ReadonlyArray<Record<string, string>>
  readonly servers: Record<string, Record<string, string | number | null>>
  readonly content: ReadonlyArray<{ readonly text: string }>
  readonly isError: boolean
  readonly details: { readonly externalContent: object }
  readonly structuredContent: { readonly content: string }
}

/** stdout must be one JSON document and nothing else. */
const json = (stdout: string): Printed => JSON.parse(stdout) as Printed

describe("mcp-live call", () => {
  it.live("gives the wrapped result of a real server, as one JSON document, and exits 0", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(["call", LIST, "--args", '{"path":"."}', "--json", ...EXAMPLE])
      const result = json(stdout)
      const [shown] = result.content
      assert.match(shown?.text ?? "", /^<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>\n/)
      assert.include(shown?.text ?? "", "release-checklist.md")
      assert.isFalse(result.isError)
      assert.deepInclude(result.details.externalContent, { server: "filesystem", tool: "list_directory" })
      assert.include(result.structuredContent.content, "release-checklist.md")
      assert.strictEqual(code, 0)
    })
  )

  it.live("takes key=value arguments, a file and standard input", () =>
    Effect.gen(function* () {
      const files = yield* FILES
      const plain = yield* runHere(["call", LIST, "path=.", ...files])
      assert.include(plain.stdout, "orders.csv")
      const piped = yield* run(["call", LIST, "--args", "-", ...files], { stdin: '{"path":"."}' })
      assert.include(piped.stdout, "orders.csv")
      const file = yield* configFile('{"path":"."}')
      const fromFile = yield* runHere(["call", LIST, "--args", `@${file}`, ...files])
      assert.include(fromFile.stdout, "orders.csv")
    }).pipe(Effect.scoped)
  )

  it.live("exits 1 when the tool answers with an error, 2 for wrong use", () =>
    Effect.gen(function* () {
      const files = yield* FILES
      const failed = yield* runHere(["call", LIST, "path=/etc", "--json", ...files])
      assert.isTrue(json(failed.stdout).isError)
      assert.strictEqual(failed.code, 1)
      const unknown = yield* runHere(["call", "mcp_filesystem_lst_directory", "--json", ...files])
      assert.include(json(unknown.stdout).content[0]?.text ?? "", LIST)
      assert.strictEqual(unknown.code, 1)
      const misspelt = yield* runHere(["call", "filesystem/list_directry", ...files])
      assert.strictEqual(misspelt.stdout, "")
      assert.include(
        misspelt.stderr,
        "no tool is called 'filesystem/list_directry'; did you mean 'filesystem/list_directory'?"
      )
      assert.strictEqual(misspelt.code, 1)
      // Other uses that are wrong are in test/programs/main.test.ts.
      const wrong = yield* runHere(["call", LIST, "nonsense", ...files])
      assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
      assert.notInclude(wrong.stderr, "    at ")
    }).pipe(Effect.scoped)
  )
})

describe("mcp-live tools and status", () => {
  it.live("list what three real servers offer", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(["tools", "--json", "--wait", ...EXAMPLE])
      const { agent, servers, tools } = json(stdout)
      assert.strictEqual(agent, "main")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(Object.keys(servers).toSorted(), ["everything", "filesystem", "memory"])
      for (const tool of tools) {
        assert.containsAllKeys(tool, ["name", "label", "description", "parameters", "server", "tool"])
        assert.match(tool["name"] ?? "", /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
      }
      assert.isAbove(tools.length, 30)
    })
  )

  it.live("tell the state of every server, broken ones included", () =>
    Effect.gen(function* () {
      const config = yield* configFile({
        mcp: {
          servers: {
            good: stdioServer("polite"),
            missing: { command: "no-such-command-here" },
            hangs: stdioServer("hang-initialize", { timeout: 800, restartOnCrash: false }),
            off: stdioServer("polite", { enabled: false })
          }
        }
      })
      const { code, stdout } = yield* run(["status", "--json", "--wait", "--config", config])
      const { servers } = json(stdout)
      assert.hasAllKeys(servers["good"], [
        "state",
        "transport",
        "protocolVersion",
        "tools",
        "withheld",
        "unreviewed",
        "denied",
        "resources",
        "prompts",
        "pid",
        "connectMs",
        "restarts",
        "lastError"
      ])
      assert.deepInclude(servers["good"], { state: "Ready", transport: "stdio", protocolVersion: "2025-11-25" })
      assert.strictEqual(servers["missing"]?.["state"], "Failed")
      assert.include(String(servers["missing"]?.["lastError"]), "command not found")
      assert.include(String(servers["hangs"]?.["lastError"]), "initialize")
      assert.strictEqual(servers["off"]?.["state"], "Disabled")
      assert.strictEqual(code, 0)
      const plain = yield* runHere(["status", "--config", config])
      assert.include(plain.stdout, "Ready")
      assert.notInclude(plain.stdout + plain.stderr, "    at ")
    }).pipe(Effect.scoped)
  )

  it.live("--agent chooses whose tools, an unknown one is wrong use", () =>
    Effect.gen(function* () {
      const config = yield* configFile({
        agents: { list: [{ id: "one", mcp: { servers: { a: stdioServer("polite") } } }, { id: "two" }] }
      })
      assert.isEmpty(json((yield* runHere(["tools", "--json", "--agent", "two", "--config", config])).stdout).tools)
      const unknown = yield* runHere(["tools", "--agent", "three", "--config", config])
      assert.strictEqual(unknown.code, 2)
      assert.include(unknown.stderr, "one, two")
    }).pipe(Effect.scoped)
  )
})

describe("mcp-live validate", () => {
  it.live("is quiet about the example and exits 0", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["validate", ...EXAMPLE])
      assert.strictEqual(code, 0, stderr)
    })
  )

  it.live("names every mistake with file, line and path, and exits 2", () =>
    Effect.gen(function* () {
      const file = yield* configFile(
        [
          "{ mcp: { servers: {",
          "  a: { comand: 'x' },",
          "  b: { command: 'x', transport: 'carrier-pigeon' }",
          "} } }"
        ].join("\n")
      )
      const { code, stderr } = yield* runHere(["validate", "--config", file])
      assert.strictEqual(code, 2)
      assert.include(stderr, `${file}:2: mcp.servers.a.comand`)
      assert.include(stderr, '"command"')
      assert.include(stderr, `${file}:3: mcp.servers.b.transport`)
    }).pipe(Effect.scoped)
  )

  it.live("an unreadable file is one clear line", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* runHere(["validate", "--config", "/no/such/file.json"])
      assert.strictEqual(code, 2)
      assert.include(stderr, "/no/such/file.json")
      assert.lengthOf(stderr.trim().split("\n"), 1)
    })
  )
})

describe("mcp-live start", () => {
  for (const signal of rowsInFull(["SIGTERM", "SIGINT"] as const, ["SIGTERM"])) {
    it.live(`off a terminal it prints one table, runs until ${signal}, stops every server and exits 0`, () =>
      Effect.gen(function* () {
        const program = yield* start(["start", ...EXAMPLE])
        yield* program.until(/memory +stdio +2025-11-25 +Ready/)
        for (const server of ["filesystem", "memory", "everything"]) assert.include(program.stdout(), server)
        const children = childrenOf(program.pid)
        assert.lengthOf(children, 3)
        program.signal(signal)
        const { code } = yield* program.exited
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(yield* leftOf(children), [])
      }).pipe(Effect.scoped)
    )
  }

  it.live("answers each line of stdin as it comes, and ends with the last one", () =>
    Effect.gen(function* () {
      const config = yield* configFile(EVERYTHING)
      const program = yield* start(["start", "--log-level", "error", "--config", config])
      yield* program.until(/everything +stdio +2025-11-25 +Ready/)
      const children = childrenOf(program.pid)
      program.type("/call mcp_everything_echo message=one")
      yield* program.until(/Echo: one/)
      program.type("")
      program.type("/nonsense")
      yield* program.until(/There is no command \/nonsense/)
      program.type("/call mcp_everything_echo message=two")
      program.end()
      const { code, stdout } = yield* program.exited
      assert.strictEqual(code, 0)
      assert.include(stdout, "Echo: two")
      assert.deepStrictEqual(yield* leftOf(children), [])
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("ends with 1 when an answer to a line failed, and answers the others", () =>
    Effect.gen(function* () {
      const config = yield* configFile(EVERYTHING)
      const program = yield* start(["start", "--log-level", "error", "--config", config], {
        stdin: "/call mcp_everything_get-sum a=one\n/call mcp_everything_echo message=two\n"
      })
      const { code, stdout } = yield* program.exited
      assert.strictEqual(code, 1)
      assert.include(stdout, "Echo: two")
    }).pipe(Effect.scoped)
  )

  it.live("stops servers that will not go, and their children, even when told twice", () =>
    Effect.gen(function* () {
      const config = yield* configFile({
        mcp: { servers: { stubborn: stdioServer("ignore-sigterm"), family: stdioServer("grandchildren:2") } }
      })
      const program = yield* start(["start", "--config", config])
      yield* program.until(/ready: stdio.*pid (\d+)/, 2)
      const children = childrenOf(program.pid)
      const family = children.flatMap((child) => [child, ...childrenOf(child)])
      assert.isAtLeast(family.length, 4)
      program.signal("SIGTERM")
      program.signal("SIGTERM")
      program.signal("SIGINT")
      const { code } = yield* program.exited
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(yield* leftOf(family), [])
    }).pipe(Effect.scoped)
  )

  it.live("brings back a server that was killed, after about a second, and says so", () =>
    Effect.gen(function* () {
      const config = yield* configFile({ mcp: { servers: { fs: stdioServer("polite") } } })
      const program = yield* start(["start", "--config", config])
      const first = Number((yield* program.until(/\[fs\] ready: stdio.*pid (\d+)/))[1])
      process.kill(first, "SIGKILL")
      const delay = Number((yield* program.until(/\[fs\] .*; restart 1 in (\d+) ms/))[1])
      assert.isTrue(delay >= 1000 && delay <= 1200)
      const second = Number((yield* program.until(/\[fs\] ready: stdio.*pid (\d+)/, 2))[1])
      assert.notStrictEqual(second, first)
      assert.isFalse(alive(first))
    }).pipe(Effect.scoped)
  )

  it.live("leaves no server behind when it dies of a bug", () =>
    Effect.gen(function* () {
      const config = yield* configFile({ mcp: { servers: { stubborn: stdioServer("ignore-sigterm") } } })
      const program = yield* start(["start", "--config", config], {
        env: { NODE_OPTIONS: "--import=data:text/javascript,process.on('SIGUSR2',()=>process.exit(7))" }
      })
      const pid = Number((yield* program.until(/ready: stdio.*pid (\d+)/))[1])
      program.signal("SIGUSR2")
      assert.strictEqual((yield* program.exited).code, 7)
      yield* Effect.sync(() => alive(pid)).pipe(
        Effect.repeat({ schedule: pauses, until: (lives) => !lives }),
        Effect.timeout("30 seconds")
      )
    }).pipe(Effect.scoped)
  )
})

describe("mcp-live: a call without an argument that it needs", () => {
  it.live("says which, and what shows the arguments, in call and at the prompt", () =>
    Effect.gen(function* () {
      const config = yield* configFile({
        mcp: { servers: { fs: { command: process.execPath, args: [serverPath("filesystem"), "."] } } }
      })
      const words = "fs/read_text_file needs path, which the call left out: "
      const called = yield* runHere(["call", "fs/read_text_file", "head=1", "--config", config])
      assert.strictEqual(called.code, 1)
      assert.include(called.stderr, `${words}'mcp-live tools fs/read_text_file' shows its arguments`)
      const json = yield* runHere(["call", "fs/read_text_file", "--json", "--config", config])
      assert.notInclude(json.stderr, words)
      const typed = yield* run(["start", "--config", config, "--log-level", "error"], {
        stdin: "/call fs/read_text_file\n/call fs/read_text_file path=package.json\n"
      })
      assert.include(typed.stdout, `${words}'/tools fs/read_text_file' shows its arguments`)
      assert.lengthOf(typed.stdout.split(words), 2)
    }).pipe(Effect.scoped)
  )
})

describe("mcp-live: help", () => {
  it.live("is printed for all commands and for one, and exits 0", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(["--help"])
      assert.strictEqual(code, 0)
      assert.include(stdout, "  start ")
      assert.include((yield* runHere(["complete", "prompt", "--help"])).stdout, "--config")
      assert.match((yield* run(["--version"])).stdout, /\d+\.\d+\.\d+/)
      assert.include((yield* runHere(["--completions", "zsh"])).stdout, "mcp-live")
    })
  )
})

describe("mcp-live: secrets", () => {
  const CANARY = "cAnArY-sEcReT-0123456789"

  it.live("a resolved value reaches its server and stands in no output, whatever the server does with it", () =>
    Effect.gen(function* () {
      const config = yield* configFile({
        mcp: {
          servers: {
            fs: stdioServer("polite", { env: { TOKEN: "secret://env/CANARY" } }),
            loud: {
              command: "sh",
              args: ["-c", "echo $TOKEN >&2; exit 1"],
              env: { TOKEN: "Bearer secret://env/CANARY" },
              maxRestarts: 0
            }
          }
        }
      })
      const options = { env: { CANARY } }
      const outputs = yield* Effect.forEach(
        [
          ["status", "--log-level", "debug"],
          ["call", "mcp_fs_env", "--json", "--log-level", "trace"],
          ["call", "mcp_fs_echo", `text=${CANARY}`, "--json"],
          ["call", "mcp_fs_echo", `text=${Buffer.from(CANARY).toString("base64")}`, "--json"],
          ["call", "mcp_fs_error", `message=${CANARY}`, "--json", "--log-level", "debug"],
          ["validate"]
        ],
        (args) => runHere([...args, "--config", config], options)
      )
      const all = outputs.map(({ stderr, stdout }) => stdout + stderr).join("\n")
      assert.include(outputs[1]!.stdout, "TOKEN", "the server did get the variable")
      assert.include(all, "[REDACTED]")
      assert.notInclude(all, CANARY)
      assert.notInclude(all, Buffer.from(CANARY).toString("base64"))
    }).pipe(Effect.scoped)
  )

  it.live("a missing secret keeps its own server from starting, names the reference, and no other is touched", () =>
    Effect.gen(function* () {
      const config = yield* configFile({
        mcp: {
          servers: {
            good: stdioServer("polite"),
            bad: stdioServer("polite", { env: { T: "secret://env/NOT_THERE_AT_ALL" } })
          }
        }
      })
      const { servers } = json((yield* runHere(["status", "--json", "--config", config])).stdout)
      assert.strictEqual(servers["good"]?.["state"], "Ready")
      assert.strictEqual(servers["bad"]?.["state"], "Failed")
      assert.include(String(servers["bad"]?.["lastError"]), "secret://env/NOT_THERE_AT_ALL")
    }).pipe(Effect.scoped)
  )
})
