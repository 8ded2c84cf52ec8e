import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { VERSION } from "../../src/schemas/data/Version.ts"
import { run } from "../support/cli.ts"

const withConfig = (config: unknown) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "mcp-live-cli-"))
      const file = join(folder, "openclaw.json")
      writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config, null, 2))
      return { folder, file }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ).pipe(Effect.map(({ file }) => file))

const COMMANDS =
  "start tools call resources read context prompts prompt complete status approvals sessions audit validate schema".split(
    " "
  )

const agents = (servers: object) => ({ agents: { defaults: { mcp: { servers } } } })

describe("the command line", () => {
  it.live("no command shows help on stdout and is not an error", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run()
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      for (const command of COMMANDS) assert.match(stdout, new RegExp(`^  ${command} +\\S`, "m"))
      assert.notInclude(stdout, "wizard")
    })
  )

  it.live("--version is that of the package", () =>
    Effect.gen(function* () {
      assert.include((yield* run("--version")).stdout, VERSION)
    })
  )

  it.live("schema prints the JSON Schema of the package, also where no configuration can be used", () =>
    Effect.gen(function* () {
      const file = yield* withConfig("{ broken")
      const { code, stderr, stdout } = yield* run("schema", "--config", file)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.strictEqual(stdout, readFileSync("schema/openclaw.schema.json", "utf8"))
    })
  )

  it.live("completions are printed for each shell", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run("--completions", "bash")
      for (const command of ["mcp-live", ...COMMANDS, "--templates", "--given"]) assert.include(stdout, command)
      for (const shell of ["zsh", "fish"]) assert.include((yield* run("--completions", shell)).stdout, "mcp-live")
    })
  )

  it.live("every command explains itself and exits 0, and the list of commands fits into 80 columns", () =>
    Effect.gen(function* () {
      const commands =
        "start|tools|call|resources|read|context|prompts|prompt|complete|complete prompt|complete resource|status|validate"
      for (const command of ["", ...commands.split("|")]) {
        const { code, stdout } = yield* run(...command.split(" ").filter(Boolean), "--help")
        assert.strictEqual(code, 0)
        assert.include(stdout, "--config")
      }
      const [, subcommands = ""] = (yield* run("--help")).stdout.split("SUBCOMMANDS\n")
      assert.include(subcommands, "  start ")
      for (const line of subcommands.split("\n")) assert.isAtMost(line.length, 80, line)
    })
  )

  it.live("wrong use is one line on stderr, nothing on stdout, and exit code 2", () =>
    Effect.gen(function* () {
      const uses: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [["tools", "--jsn"], "did you mean --json"],
        [["plan", "--person", "x"], "did you mean --as ("],
        [["approvals", "list", "--person", "x"], "; its flags are"],
        [["start", "--work-space", "/"], "did you mean --workspace"],
        [["login", "x", "--log-lvl", "warn"], "did you mean --log-level"],
        [["pins", "list", "--sever", "x"], "did you mean --server"],
        [["strat"], "; did you mean start ("],
        [["completion"], 'Unknown subcommand "completion" for "mcp-live"; did you mean --completions ('],
        [["version"], 'Unknown subcommand "version" for "mcp-live"; did you mean --version ('],
        [["stat"], 'Unknown subcommand "stat" for "mcp-live"; did you mean status ('],
        [["export", "cusor"], 'Invalid value for argument <client>: "cusor"; did you mean cursor ('],
        [["export", "emacs"], 'Invalid value for argument <client>: "emacs". Expected: "claude-desktop" | '],
        [["nonsense"], "nonsense"],
        [["add", "x", "http://127.0.0.1/mcp"], "; an address must follow --url: mcp-live add NAME --url URL ("],
        [["audit", "--tol"], "did you mean --tool ("],
        [["audit", "--foo"], "; its flags are --server, --tool, "],
        [
          ["tools", "--xyzzy"],
          "; its flags are --known, --wait, --standalone, --gateway, --config, --agent, --workspace, --json, --help, "
        ],
        [["call", "--xyzzy", "x"], "; its flags are --"],
        [["serve", "--xyzzy"], "--http"],
        [["serve", "--http", "abc"], "abc is not a port: write --http with 0, for any free one, to 65535\n"],
        [["serve", "--http=70000"], "70000 is not a port: write --http with 0"],
        [["serve", "--http", "-1"], "-1 is not a port: write --http with 0"],
        [["serve", "--http", "127.0.0.1:7730"], "127.0.0.1:7730 is not a port: "],
        [["serve", "--http", "127.0.0.1:7730"], "; the address to listen on is set with --host"],
        [["serve", "--port", "7730"], "--port is for --http: write --http 7730"],
        [["mcp-server", "--http", "80a"], "80a is not a port: write --http with 0"],
        [["logs", "--limit", "ten"], 'Invalid value for flag --limit: "ten". Expected a whole number ('],
        [["logs", "--limit", "1.5"], 'Invalid value for flag --limit: "1.5". Expected a whole number ('],
        [["pins", "diff", "--xyzzy"], "; its flags are --"],
        [["--xyzzy"], "; its flags are --config, "],
        [["pins", "xyzzy"], "; there are list, diff, approve, reject, forget ("],
        [["call"], "name"],
        [["call", "x", "a=1", "--args", "{}"], "not both"],
        [["call", "x", "--args", "{"], "not JSON"],
        [["call", "x", "--args", "[]"], "JSON object"],
        [["call", "x", "--args", "@/does/not/exist"], "from '/does/not/exist': there is no such file"],
        [["call", "fs/x", "novalue"], "not 'novalue'; 'mcp-live tools fs/x' shows the arguments"],
        [["call", "x", "--no-such-flag"], "--no-such-flag"],
        [["read"], "uri"],
        [["prompt"], "name"],
        [["prompt", "x", "a=1", "--args", "{}"], "not both"],
        [["prompt", "x", "--args", '{"a":[1]}'], "'a' must be a text"],
        [["prompt", "x", "novalue"], "'novalue'"],
        [["complete", "prompt", "x"], "argument"],
        [["complete", "resource"], "template"],
        [["complete", "tool"], "tool"],
        [["acp", "--json"], "leave --json out"],
        [["status", "--log-level", "loud"], "loud"],
        [["status", "-w", "/does/not/exist"], "the directory '/does/not/exist' does not exist"],
        [["status", "-w", "package.json"], "package.json' is not a directory"]
      ]
      for (const [args, mentioned] of uses) {
        const { code, stderr, stdout } = yield* run(...args)
        assert.deepStrictEqual([code, stdout], [2, ""], args.join(" "))
        assert.match(stderr, /^mcp-live: [^\n]*\n$/)
        assert.include(stderr, mentioned)
      }
    })
  )
})

describe("--help of commands that start others", () => {
  it.live("says where the other command stands", () =>
    Effect.gen(function* () {
      assert.include((yield* run("serve", "--help")).stdout, "mcp-live serve [flags] [-- COMMAND ARGS…]\n")
      const { stdout } = yield* run("exec", "--help")
      assert.include(stdout, "mcp-live exec [--config PATH] [--unset NAME] -- COMMAND ARGS…\n")
    })
  )

  it.live("names no flag that exec does not take", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run("exec", "--help")
      const flags = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag)
      assert.deepStrictEqual(flags, ["--unset", "--config", "--help"])
    })
  )
})

describe("mcp-live acp --help", () => {
  it.live("says which agent answers, in the order of the table in docs/acp.md", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run("acp", "--help")
      const [line = ""] = /--backend .*/.exec(stdout) ?? []
      const page = readFileSync(new URL("../../docs/acp.md", import.meta.url), "utf8")
      const table = page.slice(page.indexOf("| which agent |"), page.indexOf("| otherwise |"))
      const places = (text: string) =>
        ["--gateway", "acp.backend", "gateway.mode"].map((word) => [word, text.indexOf(word)] as const)
      for (const text of [line, table]) {
        const found = places(text)
        assert.isTrue(found.every(([, at]) => at >= 0))
        assert.deepStrictEqual(
          found.toSorted(([, a], [, b]) => a - b),
          found
        )
      }
    })
  )
})

describe("mcp-live validate", () => {
  it.live("a valid file is reported as valid, with its warnings", () =>
    Effect.gen(function* () {
      const model = { id: "x", baseUrl: "http://127.0.0.1:1/v1", apiKey: "sk-plaintext-0123456789" }
      const file = yield* withConfig({
        agents: { defaults: { model, mcp: { servers: { fs: { command: "node" } } } }, list: [{ id: "ops" }] }
      })
      const plain = yield* run("validate", "--config", file)
      assert.strictEqual(plain.code, 0)
      assert.include(plain.stdout, "is valid; agents: ")
      assert.match(plain.stderr, /^mcp-live: warning: .*apiKey/)
      const report = JSON.parse((yield* run("validate", "-c", file, "--json")).stdout)
      assert.hasAllKeys(report, ["ok", "file", "agents", "issues", "warnings"])
      assert.include(report.agents, "ops")
      assert.lengthOf(report.warnings, 1)
    })
  )

  it.live("warnings are shown with errors", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ fs: { command: "node", args: ["--token", "abcd1234"], comand: "x" } }))
      const { code, stderr } = yield* run("validate", "--config", file)
      assert.strictEqual(code, 2)
      assert.match(stderr, /warning: .*plaintext credentials in config \(args\[1\]\)/)
      assert.include(stderr, 'comand: unknown key, did you mean "command"?')
      const report = JSON.parse((yield* run("validate", "-c", file, "--json")).stdout)
      assert.deepStrictEqual([report.issues.length, report.warnings.length], [1, 1])
    })
  )

  it.live("a timeout that looks like seconds is warned of, with what to write", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ fs: { command: "node", timeout: 30, toolTimeout: 1000 } }))
      const { code, stderr } = yield* run("validate", "--config", file)
      assert.strictEqual(code, 0)
      assert.match(stderr, /^mcp-live: warning: [^\n]*fs\.timeout: counts milliseconds: for 30 seconds write 30000\n$/)
    })
  )

  it.live("a call of a tool whose server is down says why it is down", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ gone: { command: "/does/not/exist" } }))
      const { code, stderr } = yield* run("call", "gone/read", "--config", file)
      assert.strictEqual(code, 1)
      assert.include(stderr, "gone: cannot start '/does/not/exist'")
    })
  )

  it.live("credentials that others can read are told by every command", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ fs: { enabled: false, command: "node", args: ["--token", "abcd1234"] } }))
      const commands = [
        ...["tools", "status", "resources", "prompts", "context", "audit", "validate"].map((command) => [command]),
        ...["list", "diff"].map((command) => ["pins", command]),
        ["approvals", "list"],
        ["call", "x"],
        ["logout", "fs"]
      ]
      for (const command of commands) {
        const { stderr } = yield* run(...command, "--config", file)
        const told = stderr.match(/plaintext credentials in config \(args\[1\]\)/g)
        assert.lengthOf(told ?? [], 1, `${command.join(" ")}: ${stderr}`)
        assert.notInclude(stderr, "abcd1234")
      }
      // In addresses as well.
      const web = yield* withConfig(
        agents({ web: { enabled: false, url: "https://mcp.example/mcp?api_key=abc123def" } })
      )
      const { stderr } = yield* run("pins", "list", "--json", "--config", web)
      assert.match(stderr, /warning: .*web\.url: .*plaintext credentials in config \(url \?api_key\)/)
      assert.notInclude(stderr, "abc123def")
    })
  )

  it.live("a secret whose variable is not set is a warning with its line, and the file is valid", () =>
    Effect.gen(function* () {
      const env = { TOKEN: "secret://env/MCP_LIVE_TEST_NEVER_SET" }
      const file = yield* withConfig(agents({ fs: { command: "node", env } }))
      const { code, stderr } = yield* run("validate", "--config", file)
      assert.strictEqual(code, 0)
      assert.match(
        stderr,
        /warning: .*openclaw\.json:9: .*TOKEN: environment variable MCP_LIVE_TEST_NEVER_SET is not set/
      )
    })
  )

  it.live("each problem is one line with its place, and the exit code is 2", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ a: { comand: "x" }, b: { command: 3 } }))
      const plain = yield* run("validate", "--config", file)
      assert.deepStrictEqual([plain.code, plain.stdout], [2, ""])
      assert.match(plain.stderr, /^mcp-live: .*openclaw\.json:7: .*comand/m)
      assert.isAtLeast(plain.stderr.trim().split("\n").length, 2)
      const json = yield* run("validate", "--config", file, "--json")
      const report = JSON.parse(json.stdout)
      assert.deepStrictEqual([json.code, json.stderr, report.ok], [2, "", false])
      assert.lengthOf(report.issues, plain.stderr.trim().split("\n").length)
    })
  )

  it.live("an agent that does not exist is a problem", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({}))
      const { code, stderr } = yield* run("validate", "--config", file, "--agent", "nobody")
      assert.strictEqual(code, 2)
      assert.include(stderr, "nobody")
    })
  )
})

describe("commands with a runtime", () => {
  it.live("a config that cannot be used is told on stderr only, with exit code 2", () =>
    Effect.gen(function* () {
      const broken = yield* withConfig('{ "agents": ')
      for (const command of ["tools", "status"]) {
        const { code, stderr, stdout } = yield* run(command, "--config", broken, "--json")
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(stderr, /^mcp-live: .*openclaw\.json/)
      }
      const file = yield* withConfig(agents({}))
      assert.strictEqual((yield* run("tools", "-c", file, "-a", "nobody")).code, 2)
    })
  )

  it.live("--json prints one document: tools, status, and a call that failed", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(
        agents({ gone: { command: "mcp-live-no-such-command" }, off: { command: "x", enabled: false } })
      )
      const tools = yield* run("tools", "--json", "-c", file)
      assert.hasAllKeys(JSON.parse(tools.stdout), ["agent", "tools", "servers", "connecting"])
      const status = yield* run("status", "--json", "-c", file)
      const { agent, servers } = JSON.parse(status.stdout)
      assert.deepStrictEqual([status.code, agent, servers.off.state], [0, "main", "Disabled"])
      assert.include(servers.gone.lastError, "mcp-live-no-such-command")
      const columns = "state transport protocolVersion tools resources prompts pid connectMs restarts lastError"
      assert.hasAllKeys(servers.gone, columns.split(" "))
      const call = yield* run("call", "mcp_gone_x", "--json", "-c", file)
      assert.strictEqual(call.code, 1)
      assert.hasAllKeys(JSON.parse(call.stdout), ["content", "isError", "details"])
      assert.isTrue(JSON.parse(call.stdout).isError)
    })
  )

  it.live("--json prints one document: what there is to read and to fill in, and what could not be had", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ gone: { command: "mcp-live-no-such-command" } }))
      const json = (...args: ReadonlyArray<string>) =>
        Effect.map(run(...args, "--json", "-c", file), ({ code, stdout }) => [code, JSON.parse(stdout)] as const)
      assert.deepStrictEqual(yield* json("resources"), [
        0,
        { agent: "main", resources: [], resourceTemplates: [], connecting: [] }
      ])
      assert.deepStrictEqual(yield* json("resources", "--templates"), [
        0,
        { agent: "main", resourceTemplates: [], connecting: [] }
      ])
      assert.deepStrictEqual(yield* json("prompts"), [0, { agent: "main", prompts: [], connecting: [] }])
      assert.deepStrictEqual(yield* json("context"), [0, { agent: "main", context: "" }])
      const failures = [
        ["read", "file:///x"],
        ["prompt", "x"],
        ["complete", "prompt", "x", "y"],
        ["complete", "resource", "file:///{x}", "x"]
      ]
      for (const args of failures) {
        const [code, document] = yield* json(...args)
        assert.strictEqual(code, 1, args.join(" "))
        assert.hasAllKeys(document, ["error"])
        assert.hasAllKeys(document.error, ["tag", "message"])
      }
    })
  )

  it.live("without --json a failure is one line on stderr", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ gone: { command: "mcp-live-no-such-command" } }))
      for (const args of [
        ["read", "file:///x"],
        ["prompt", "x"]
      ]) {
        const { code, stderr, stdout } = yield* run(...args, "-c", file, "--log-level", "none")
        assert.deepStrictEqual([code, stdout], [1, ""], args.join(" "))
        assert.match(stderr, /^mcp-live: [^\n]*\n$/)
      }
      const unknown = yield* run("prompt", "x", "-c", yield* withConfig(agents({})), "--log-level", "none")
      assert.strictEqual(unknown.stderr, "mcp-live: There is no prompt 'x'. 'mcp-live prompts' lists them.\n")
      const listed = yield* run("resources", "-c", file, "--log-level", "none")
      assert.deepStrictEqual([listed.code, listed.stdout], [0, "No resources.\n"])
      assert.match(listed.stderr, /^mcp-live: gone: .*mcp-live-no-such-command/)
    })
  )

  it.live("a server that is not configured is wrong use", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ gone: { command: "mcp-live-no-such-command" } }))
      const { code, stderr } = yield* run("resources", "--server", "gon", "-c", file, "--log-level", "none")
      assert.deepStrictEqual([code, stderr], [2, "mcp-live: there is no server 'gon'; did you mean 'gone'?\n"])
    })
  )

  it.live("without --json a failed server has its reason under the table", () =>
    Effect.gen(function* () {
      const file = yield* withConfig(agents({ gone: { command: "mcp-live-no-such-command" } }))
      const { code, stdout } = yield* run("status", "-c", file)
      assert.strictEqual(code, 0)
      assert.match(stdout, /^SERVER .*\ngone .*(Failed|Backoff).*\ngone: .*mcp-live-no-such-command/)
    })
  )
})
