import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { RequestError } from "../../src/schemas/connection/RequestError.ts"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { hostile } from "../fixtures/servers.ts"
import { alive, leftOf } from "../support/alive.ts"
import {
  callTool,
  connectorLayer,
  connectorWith,
  open,
  openHostile,
  stdioConfig,
  textOf
} from "../support/connector.ts"
import { inFolder } from "../support/folder.ts"
import { fakeHost } from "../support/host.ts"
import { pauses } from "../support/pause.ts"

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

describe.concurrent("stdio: protocol eras", () => {
  for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    scenario(
      `agrees on ${version} with a server of that revision`,
      Effect.gen(function* () {
        const connection = yield* openHostile(`version:${version}`)
        assert.deepInclude(connection.info, { era: "legacy", protocolVersion: version, transport: "stdio" })
        assert.strictEqual(textOf(yield* callTool(connection, "echo", { text: "hi" })), "hi")
      })
    )
  }

  for (const server of ["modern-only", "dual-era"]) {
    scenario(
      `speaks 2026-07-28 with a ${server} server`,
      Effect.gen(function* () {
        const connection = yield* openHostile(server)
        assert.deepInclude(connection.info, { era: "modern", protocolVersion: "2026-07-28" })
        assert.strictEqual(textOf(yield* callTool(connection, "echo", { text: "hi" })), "hi")
        assert.isTrue(yield* connection.ping)
      })
    )
  }

  scenario(
    "a demanded revision is spoken, or refused with the reason",
    Effect.gen(function* () {
      const old = yield* openHostile("dual-era", { protocol: "2025-11-25" })
      assert.strictEqual(old.info.protocolVersion, "2025-11-25")
      const error = yield* Effect.flip(openHostile("polite", { protocol: "2026-07-28" }))
      assert.strictEqual(error._tag, "UnsupportedProtocol")
    })
  )

  scenario(
    "a server that dies of the question for its era gets a second process without it",
    Effect.gen(function* () {
      const connection = yield* openHostile("die-on-discover")
      assert.strictEqual(connection.info.era, "legacy")
    })
  )

  scenario(
    "a server that is silent about what it does not know is taken for a legacy one",
    Effect.gen(function* () {
      const file = join(yield* inFolder, "record")
      const { args, command } = hostile("silent-on-discover", "--record", file)
      const connection = yield* open(stdioConfig(command, args))
      assert.strictEqual(connection.info.era, "legacy")
      yield* open(stdioConfig(command, args))
      const record = readFileSync(file, "utf8")
      assert.lengthOf(record.match(/"initialize"/g) ?? [], 2)
      assert.lengthOf(record.match(/"server\/discover"/g) ?? [], 1, "the second time it is not asked")
    })
  )

  scenario(
    "a silent server is taken for a legacy one also when there is little time to find out",
    Effect.gen(function* () {
      const connection = yield* openHostile("silent-on-discover", { timeout: 6_000 })
      assert.strictEqual(connection.info.era, "legacy")
    })
  )

  scenario(
    "a modern server that starts slowly is not taken for a legacy one",
    Effect.gen(function* () {
      const { args } = hostile("modern-only", "slow-start:6000")
      const connection = yield* open(stdioConfig(process.execPath, args))
      assert.strictEqual(connection.info.era, "modern")
    })
  )

  for (const server of ["future-only", "bad-version"]) {
    scenario(
      `${server}: no common version is an error that says so and is not retried`,
      Effect.gen(function* () {
        const error = yield* Effect.flip(openHostile(server))
        assert.strictEqual(error._tag, "UnsupportedProtocol")
        assert.include(error.message, "'fs'")
      })
    )
  }
})

describe.concurrent("stdio: broken servers", () => {
  const failures: ReadonlyArray<readonly [string, string, string]> = [
    ["hang-initialize", "ConnectTimeout", "initialize"],
    ["only-rubbish", "ConnectTimeout", "1500 ms"],
    ["exit-at-once", "ServerExited", "code 0"],
    ["exit-at-once:SIGKILL", "ServerExited", "SIGKILL"],
    ["exit-1-stderr", "ServerExited", "its last words"],
    ["exit-on-initialize", "ServerExited", "code 1"],
    ["bad-list", "HandshakeFailed", "tools"],
    ["never-reads-stdin", "ConnectTimeout", "1500 ms"]
  ]
  for (const [server, tag, words] of failures) {
    scenario(
      `${server} gives ${tag}, naming the server, and leaves no process`,
      Effect.gen(function* () {
        const timeout = tag === "ConnectTimeout" ? 1_500 : 10_000
        const error = yield* Effect.flip(Effect.scoped(openHostile(server, { timeout })))
        assert.strictEqual(error._tag, tag)
        assert.include(error.message, "'fs'")
        assert.include(error.message, words)
        assert.notInclude(error.message, "    at ")
      })
    )
  }

  scenario(
    "the last words of a dying server are told although they lack a line break",
    Effect.gen(function* () {
      const script = "process.stderr.write('missing API key'); process.exitCode = 3"
      const error = yield* Effect.flip(open(stdioConfig(process.execPath, ["-e", script])))
      assert.include(error.message, "missing API key")
    })
  )

  scenario(
    "the last words of a dying server are told although they are on stdout, where its messages go",
    Effect.gen(function* () {
      const script = "console.log('no database at /var/db'); process.exitCode = 3"
      const error = yield* Effect.flip(open(stdioConfig(process.execPath, ["-e", script])))
      assert.strictEqual(error._tag, "ServerExited")
      assert.include(error.message, "its last words: no database at /var/db")
    })
  )

  /** Prints what it is told to before it answers, or instead. */
  const printer = (onCall: string) => `
    const results = {
      initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} } },
      "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] }
    }
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line)
      const answer = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }))
      if (method === "tools/call") { ${onCall} }
      else if (results[method]) answer(results[method])
      else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }))
    })`

  scenario(
    "an answer that is cut off fails its call, long before its time is over",
    Effect.gen(function* () {
      const script = printer(`console.log('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"te')`)
      const connection = yield* open(stdioConfig(process.execPath, ["-e", script]))
      const error = yield* Effect.flip(
        connection.request("tools/call", { name: "echo" }, { idleMs: 600_000, totalMs: 600_000 })
      )
      assert.strictEqual(error._tag, "ProtocolError")
      assert.include(error.message, "something that is not JSON")
    })
  )

  scenario(
    "who has brought a server along is told of no key that only a configuration has",
    Effect.gen(function* () {
      const script = printer("")
      const session = "editor"
      const connection = yield* open(stdioConfig(process.execPath, ["-e", script], { session }))
      const error = yield* Effect.flip(
        connection.request("tools/call", { name: "echo" }, { idleMs: 100, totalMs: 100 })
      )
      assert.strictEqual(error._tag, "CallTimeout")
      assert.include(error.message, "acp.toolTimeout")
      assert.notInclude(error.message, '"toolTimeout"')
      const silent = stdioConfig(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { session, timeout: 500 })
      const slow = yield* Effect.flip(open(silent))
      assert.include(slow.message, "a new session may find it faster")
      assert.notInclude(slow.message, '"timeout"')
    })
  )

  scenario(
    "a server that prints its log, its requests and its answer to stdout gets its answer through",
    Effect.gen(function* () {
      const script = printer(`
        console.log("working…")
        console.log(JSON.parse(line))
        const content = [{ type: "text", text: "done" }]
        console.log("{'jsonrpc': '2.0', 'id': " + id + ", 'result': {'content': ['done']}}")
        setTimeout(() => answer({ content }), 300)`)
      const connection = yield* open(stdioConfig(process.execPath, ["-e", script]))
      assert.strictEqual(textOf(yield* callTool(connection, "echo", {})), "done")
    })
  )

  scenario(
    "a resources list that never comes costs the resources, not the server",
    Effect.gen(function* () {
      const script = `
        const results = {
          initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {} } },
          "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] }
        }
        require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
          const { id, method } = JSON.parse(line)
          if (id === undefined || method.startsWith("resources/")) return
          const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } }
          console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
        })`
      const { catalogue } = yield* open(stdioConfig(process.execPath, ["-e", script], { timeout: 8_000 }))
      assert.lengthOf(catalogue.tools, 1)
      assert.isTrue(catalogue.diagnostics.some((line) => line.startsWith("resources/list")))
    })
  )

  scenario(
    "a change that is announced before anybody listens is not lost",
    Effect.gen(function* () {
      const script = `
        let lists = 0
        require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
          const { id, method } = JSON.parse(line)
          if (id === undefined) return
          const say = (message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n"
          if (method === "initialize") {
            process.stdout.write(say({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } } }))
          } else if (method === "tools/list") {
            const tools = [{ name: "tool" + ++lists, inputSchema: { type: "object" } }]
            process.stdout.write(say({ id, result: { tools } }) + say({ method: "notifications/tools/list_changed" }))
          } else process.stdout.write(say({ id, error: { code: -32601, message: "no" } }))
        })`
      const connection = yield* open(stdioConfig(process.execPath, ["-e", script]))
      let told = 0
      connection.onEvent(() => told++)
      // By the answer to this everything that was sent before has been read.
      yield* connection.ping
      assert.strictEqual(told, 1)
    })
  )

  it.live("dropped list entries are logged once, also when they are listed again", () => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    const script = `
      let lists = 0
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line)
        if (id === undefined) return
        const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...message }) + "\\n")
        if (method === "initialize") say({ result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } } })
        else if (method === "tools/list") say({ result: { tools: ["a", ...(++lists > 1 ? ["b"] : [])].map((name) => ({ name, inputSchema: "none" })) } })
        else say({ error: { code: -32601, message: "no" } })
      })`
    return Effect.gen(function* () {
      const connection = yield* open(stdioConfig(process.execPath, ["-e", script]))
      const told = (tool: string) => lines.filter((line) => line.includes(`left out tool "${tool}"`)).length
      assert.deepStrictEqual([told("a"), told("b")], [1, 0])
      yield* connection.discover
      yield* connection.discover
      assert.deepStrictEqual([told("a"), told("b")], [1, 1])
    }).pipe(Effect.scoped, Effect.provide(connectorWith(fakeHost(), [logger])))
  })

  const spawns: ReadonlyArray<readonly [string, string, string]> = [
    ["a missing command", "no-such-command-here", "command not found"],
    ["a directory as command", "/", "permission denied"],
    ["an empty command", "", "cannot start"],
    ["a NUL in the command", "no\0de", "NUL"]
  ]
  for (const [what, command, words] of spawns) {
    scenario(
      `${what} is told in words`,
      Effect.gen(function* () {
        const error = yield* Effect.flip(open(stdioConfig(command, [])))
        assert.strictEqual(error._tag, "SpawnFailed")
        assert.include(error.message, words)
      })
    )
  }

  scenario(
    "a NUL in an argument is told in words, without the argument",
    Effect.gen(function* () {
      const error = yield* Effect.flip(open(stdioConfig(process.execPath, ["hidden\0"])))
      assert.strictEqual(error._tag, "SpawnFailed")
      assert.include(error.message, "NUL")
      assert.notInclude(error.message, "hidden")
    })
  )

  scenario(
    "a cwd that does not exist is told apart from a missing command",
    Effect.gen(function* () {
      const launch = { kind: "stdio" as const, command: process.execPath, args: [], env: {}, cwd: "/no/such/folder" }
      const error = yield* Effect.flip(open(stdioConfig("", [], { launch })))
      assert.include(error.message, "cwd /no/such/folder does not exist")
    })
  )

  scenario(
    "invalid UTF-8 costs its characters only",
    Effect.gen(function* () {
      const connection = yield* openHostile("invalid-utf8")
      const text = textOf(yield* callTool(connection, "echo", { text: "kept" }))
      assert.include(text, "kept")
      assert.include(text, "\ufffd")
    })
  )

  scenario(
    "a bad tool in a list costs that tool only, and is reported",
    Effect.gen(function* () {
      const { catalogue } = yield* openHostile("bad-tool")
      assert.deepStrictEqual(
        catalogue.tools.map((tool) => tool.name),
        ["echo", "add"]
      )
      assert.lengthOf(catalogue.diagnostics, 3)
    })
  )

  scenario(
    "all pages of a list are read, an empty cursor included",
    Effect.gen(function* () {
      const plain = yield* openHostile("polite")
      const paged = yield* openHostile("pages:4")
      assert.deepStrictEqual(
        plain.catalogue.tools
          .map((tool) => tool.name)
          .filter((name) => !paged.catalogue.tools.some((tool) => tool.name === name)),
        []
      )
      assert.isEmpty(paged.catalogue.diagnostics)
    })
  )

  for (const server of ["endless-pages", "endless-pages:same"]) {
    scenario(
      `${server}: a list without end is cut and reported`,
      Effect.gen(function* () {
        const { catalogue } = yield* openHostile(server)
        assert.isNotEmpty(catalogue.tools)
        assert.lengthOf(
          catalogue.diagnostics.filter((line) => line.startsWith("tools/list")),
          1
        )
      })
    )
  }

  for (const [server, tools] of [
    ["refused-lists", true],
    ["undeclared-lists", true],
    ["no-tools", false]
  ] as const) {
    scenario(
      `${server}: what the capabilities say does not decide`,
      Effect.gen(function* () {
        const { catalogue } = yield* openHostile(server)
        assert.strictEqual(catalogue.tools.length > 0, tools)
      })
    )
  }
})

// One after the other: some of them say as much as they can.
describe("stdio: servers that say what nobody asked for", () => {
  for (const server of [
    "rubbish-stdout",
    "bom",
    "split-utf8",
    "batch",
    "wrong-ids",
    "stderr-flood",
    "flood:notifications/x"
  ]) {
    scenario(
      `${server} does not keep a call from its answer`,
      Effect.gen(function* () {
        const connection = yield* openHostile(server)
        assert.strictEqual(textOf(yield* callTool(connection, "echo", { text: "grüße 🧵" })), "grüße 🧵")
      })
    )
  }
})

describe("stdio: a secret in a long line of stderr", () => {
  it.live("leaves no part of itself in the log or the last words", () =>
    Effect.gen(function* () {
      const secret = "ghp_SuperSecretTokenValue0123456789"
      const logged: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void logged.push(String(message)))
      const script = `
        process.stderr.write("heard " + "x".repeat(490) + process.env.GITHUB_TOKEN + "y".repeat(100000) + "\\n")
        process.exitCode = 3`
      const launch = {
        kind: "stdio",
        command: process.execPath,
        args: ["-e", script],
        env: { GITHUB_TOKEN: secret },
        cwd: undefined
      } as const
      const error = yield* Effect.flip(open(stdioConfig("", [], { launch }))).pipe(
        Effect.scoped,
        Effect.provide(connectorWith(fakeHost(), [logger]))
      )
      assert.strictEqual(error._tag, "ServerExited")
      assert.include(error.message, "heard")
      assert.isTrue(logged.some((line) => line.includes("heard")))
      for (const line of [...logged, error.message]) assert.notInclude(line, secret.slice(0, 6))
    })
  )
})

/** Why a call fails, and the connection that it was made on. */
const failed = (server: string, tool: string, args: Record<string, unknown>, idleMs = 30_000) =>
  Effect.flatMap(openHostile(server), (connection) =>
    Effect.map(Effect.flip(callTool(connection, tool, args, idleMs)), (error) => ({ connection, error }))
  )

describe.concurrent("stdio: calls", () => {
  scenario(
    "a JSON-RPC error is an error with the server's words",
    Effect.gen(function* () {
      const { error } = yield* failed("polite", "error", { code: -32042, message: "no way" })
      assert.deepInclude(error, { _tag: "ProtocolError", code: -32042, detail: "no way" })
    })
  )

  scenario(
    "arguments that are no JSON fail their call at once",
    Effect.gen(function* () {
      const { connection, error } = yield* failed("polite", "echo", { text: 1n })
      assert.strictEqual(error._tag, "ProtocolError")
      assert.strictEqual(textOf(yield* callTool(connection, "echo", { text: "still here" })), "still here")
    })
  )

  scenario(
    "a call that hangs is cancelled at its deadline, and the connection lives on",
    Effect.gen(function* () {
      const { connection, error } = yield* failed("polite", "hang", {}, 300)
      assert.deepInclude(error, { _tag: "CallTimeout", deadline: "idle" })
      const seen = textOf(yield* callTool(connection, "received"))
      assert.lengthOf(seen.match(/notifications\/cancelled/g) ?? [], 1)
    })
  )

  scenario(
    "progress keeps a slow call alive beyond its silence limit",
    Effect.gen(function* () {
      const connection = yield* openHostile("polite")
      const reports: Array<unknown> = []
      const params = { name: "slow", arguments: { ms: 3_000, progress: 30 } }
      yield* connection.request("tools/call", params, {
        idleMs: 2_000,
        totalMs: 30_000,
        onProgress: (report) => reports.push(report)
      })
      assert.isAtLeast(reports.length, 20)
    })
  )

  scenario(
    "progress keeps no call alive beyond its limit in all",
    Effect.gen(function* () {
      const connection = yield* openHostile("polite")
      const params = { name: "slow", arguments: { ms: 5_000, progress: 50 } }
      const error = yield* Effect.flip(
        connection.request("tools/call", params, { idleMs: 10_000, totalMs: 1_000, onProgress: () => {} })
      )
      assert.deepInclude(error, { _tag: "CallTimeout", deadline: "total" })
    })
  )

  scenario(
    "an interrupted call tells the server once",
    Effect.gen(function* () {
      const connection = yield* openHostile("polite")
      const fiber = yield* Effect.forkChild(callTool(connection, "hang"), { startImmediately: true })
      yield* callTool(connection, "echo", { text: "so the hanging call has arrived" })
      yield* Fiber.interrupt(fiber)
      const seen = textOf(yield* callTool(connection, "received"))
      assert.lengthOf(seen.match(/notifications\/cancelled/g) ?? [], 1)
    })
  )

  for (const [server, words] of [
    ["exit-mid-reply", "exited with code 1"],
    ["close-stdout", "closed its output"]
  ] as const) {
    scenario(
      `${server}: the call fails at once and says that it may have run`,
      Effect.gen(function* () {
        const { connection, error } = yield* failed(server, "echo", { text: "x" }, 20_000)
        assert.strictEqual(error._tag, "ConnectionLost")
        assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
        assert.include(error.message, words)
        yield* Effect.flip(connection.closed)
      })
    )
  }

  scenario(
    "a server that closed its input is gone, though its process runs",
    Effect.gen(function* () {
      const connection = yield* openHostile("close-stdin")
      yield* callTool(connection, "echo", { text: "x" })
      const errors: Array<RequestError["_tag"]> = []
      // The pipe breaks at the first write after it was closed; what is certain is that no call hangs.
      for (let i = 0; i < 3; i++) {
        const exit = yield* Effect.exit(callTool(connection, "echo", { text: "x" }, 2_000))
        if (exit._tag === "Failure") errors.push("ConnectionLost")
      }
      assert.isNotEmpty(errors)
      yield* Effect.flip(connection.closed)
    })
  )

  scenario(
    "what the server asks of its host is declined, never left open",
    Effect.gen(function* () {
      const connection = yield* openHostile("server-requests")
      const answers = JSON.stringify(yield* callTool(connection, "answers"))
      assert.include(answers, "-32601")
      assert.include(answers, "ping")
    })
  )
})

describe("stdio: large answers", () => {
  scenario(
    "9 MB in one line arrive whole",
    Effect.gen(function* () {
      const connection = yield* openHostile("huge-line")
      const text = textOf(yield* callTool(connection, "big", { bytes: 9_000_000 }))
      assert.strictEqual(text.length, 9_000_000)
    })
  )

  scenario(
    "50 MB in one line fail that call with a clear word, and the next call works",
    Effect.gen(function* () {
      const { connection, error } = yield* failed("huge-line:50000000", "big", { bytes: 50_000_000 })
      assert.strictEqual(error._tag, "MessageTooLarge")
      assert.include(error.message, "16 MiB")
      assert.strictEqual(textOf(yield* callTool(connection, "echo", { text: "still here" })), "still here")
    })
  )

  scenario(
    "an answer nested 100,000 deep is refused, and the next call works",
    Effect.gen(function* () {
      const { connection, error } = yield* failed("deep-json", "echo", { text: "x" })
      assert.strictEqual(error._tag, "ProtocolError")
      assert.isTrue(yield* connection.ping)
    })
  )
})

describe("stdio: environment", () => {
  scenario(
    "a server sees the base variables, its own and its tag, and nothing else of the host's",
    Effect.gen(function* () {
      const host = { HOST_TOKEN_OF_A_TEST: "leak", all_proxy: "socks5://ada:leak@127.0.0.1", NO_PROXY: "127.0.0.1" }
      Object.assign(process.env, host)
      const { args, command } = hostile("polite")
      const launch = { kind: "stdio" as const, command, args, env: { OWN: "yes" }, cwd: "/" }
      const connection = yield* open(stdioConfig(command, args, { launch }))
      const seen = JSON.parse(textOf(yield* callTool(connection, "env"))) as Record<string, string>
      for (const name of Object.keys(host)) delete process.env[name]
      assert.strictEqual(seen["NO_PROXY"], "127.0.0.1")
      assert.notInclude(JSON.stringify(seen), "leak")
      assert.strictEqual(seen["OWN"], "yes")
      assert.strictEqual(seen["PATH"], process.env["PATH"])
      const allowed =
        /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|TMPDIR|TZ|LC_\w+|OWN|MCP_LIVE_TAG|__CF_USER_TEXT_ENCODING|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|(?:https?|no|all)_proxy|(?:HTTPS?|NO|ALL)_PROXY)$/
      assert.deepStrictEqual(
        Object.keys(seen).filter((name) => !allowed.test(name)),
        []
      )
    })
  )
})

/** The processes of a connection that was closed. */
const pidsOf = (server: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* openHostile(server)
      const result = server.startsWith("grandchildren") ? yield* callTool(connection, "grandchildren") : undefined
      const text = result === undefined ? "" : JSON.stringify(result)
      return [connection.info.pid!, ...(text.match(/\b\d{3,}\b/g) ?? []).map(Number)]
    })
  )

describe.concurrent("stdio: nothing is left running", () => {
  scenario(
    "a polite server ends with its stdin",
    Effect.gen(function* () {
      const pids = yield* pidsOf("polite")
      assert.deepStrictEqual(pids.filter(alive), [])
    })
  )

  scenario(
    "one that ignores the end of its stdin gets SIGTERM",
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* pidsOf("ignore-stdin-end")).filter(alive), [])
    })
  )

  scenario(
    "one that ignores SIGTERM too gets SIGKILL",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* leftOf(yield* pidsOf("ignore-sigterm")), [])
    })
  )

  scenario(
    "grandchildren that ignore SIGTERM go with the group",
    Effect.gen(function* () {
      const pids = yield* pidsOf("grandchildren:3")
      assert.isAtLeast(pids.length, 4)
      assert.deepStrictEqual(yield* leftOf(pids), [])
    })
  )
})

// The descriptors of this process are counted: nothing else may open one.
describe("stdio: nothing is left open", () => {
  scenario(
    "24 connections opened and closed leave no process and no file descriptor",
    Effect.gen(function* () {
      const descriptors = () => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0)
      yield* pidsOf("polite")
      const before = descriptors()
      const pids = yield* Effect.forEach(Array.from({ length: 24 }), () => pidsOf("polite"), { concurrency: 4 })
      assert.deepStrictEqual(pids.flat().filter(alive), [])
      // Pipes are closed a moment after they are let go.
      yield* Effect.sync(() => descriptors() - before).pipe(
        Effect.repeat({ schedule: pauses, until: (more) => more <= 4 }),
        Effect.timeout("10 seconds")
      )
    })
  )
})
