/** `mcp-live start` without a terminal: what systemd, Docker and nohup give it, and lines of a pipe. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { hasTerminals, onTerminal, program } from "./terminal.ts"
import { hostile } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"
import { runHere } from "./here.ts"
import { configFile, run, start } from "./program.ts"
import { isFull, rowsInFull, some } from "../support/full.ts"

/** Started by a shell that gives it this stdin. */
const underShell = (config: string, stdin: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const command = `exec "${process.execPath}" "${program}" start --config "${config}" ${stdin}`
      const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] })
      let [stdout, stderr] = ["", ""]
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      return { child, stdout: () => stdout, stderr: () => stderr }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL"))
  )

describe.skipIf(process.platform === "win32")("mcp-live start as a service", () => {
  const servers = {
    "a server over stdio": { fs: hostile() },
    "a lazy server": { fs: { ...hostile(), lazy: true } },
    "a server that fails": { fs: { command: "no-such-command" } },
    "no server": {}
  }
  const starts = Object.entries(servers).flatMap(([what, given]) =>
    ["</dev/null", "<&-"].map((stdin) => ({ what, given, stdin }))
  )
  for (const { given, stdin, what } of some(starts, 3)) {
    it.live(`with ${what} and ${stdin} it stays until a signal, and stops in order`, () =>
      Effect.gen(function* () {
        const config = yield* configFile({ mcp: { servers: given } })
        const { child, stderr, stdout } = yield* underShell(config, stdin)
        yield* Effect.promise(async () => {
          while (!/SERVER|No MCP servers/.test(stdout())) await once(child.stdout, "data")
        })
        // A program that has nothing left to do has gone before another has started.
        const status = yield* run(["status", "--config", config, "--gateway", String(child.pid)])
        assert.include(status.stderr, "using the running gateway", stderr())
        assert.isNull(child.exitCode)
        child.kill("SIGTERM")
        const [code] = (yield* Effect.promise(() => once(child, "close"))) as [number]
        assert.strictEqual(code, 0)
        if (what === "a server over stdio") assert.include(stderr(), "[fs] stopped")
      }).pipe(Effect.scoped)
    )
  }

  it.live.runIf(isFull)("a regular file without lines is no reason to end either", () =>
    Effect.gen(function* () {
      const config = yield* configFile({ mcp: { servers: { fs: hostile() } } })
      const empty = yield* configFile("")
      const { child, stderr, stdout } = yield* underShell(config, `<"${empty}"`)
      yield* Effect.promise(async () => {
        while (!stdout().includes("SERVER")) await once(child.stdout, "data")
      })
      const status = yield* run(["status", "--config", config, "--gateway", String(child.pid)])
      assert.include(status.stderr, "using the running gateway", stderr())
      child.kill("SIGTERM")
      yield* Effect.promise(() => once(child, "close"))
      assert.include(stderr(), "[fs] stopped")
    }).pipe(Effect.scoped)
  )
})

/** One that is ready at once, and one that waits to be let come. */
const oneSlow = Effect.gen(function* () {
  const gate = join(yield* inFolder, "gate")
  const config = yield* configFile({
    mcp: { servers: { fs: hostile(), slow: hostile(`initialize-with-file:${gate}`) } }
  })
  return { config, letCome: Effect.sync(() => writeFileSync(gate, "")) }
})

describe("mcp-live start with a slow server", () => {
  it.live("prints its table and answers without the slow server, and says when that is ready", () =>
    Effect.gen(function* () {
      const { config, letCome } = yield* oneSlow
      const running = yield* start(["start", "--config", config, "--log-level", "error"])
      running.type("/call fs/echo text=early")
      yield* running.until(/\nearly\n/)
      yield* letCome
      yield* running.until(/\nslow: Ready, \d+ tools \(stdio, /)
      running.end()
      const { code, stderr, stdout } = yield* running.exited
      assert.strictEqual(code, 0)
      assert.match(stdout, /^fs .*Ready(.|\n)*^slow .*Connecting(.|\n)*^early$(.|\n)*^slow: Ready/m)
      assert.match(stderr, /of 2 MCP servers ready\. Waiting for /)
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("names connecting servers with --json, and reports the outcome in a separate document", () =>
    Effect.gen(function* () {
      const { config, letCome } = yield* oneSlow
      const running = yield* start(["start", "--json", "--config", config])
      running.type("/call fs/echo text=early")
      yield* running.until(/"ok":true/)
      yield* letCome
      yield* running.until(/"servers":\{"slow":\{"state":"Ready"/)
      running.end()
      const { stdout } = yield* running.exited
      const [first, answer, later, ...more] = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Printed)
      assert.deepStrictEqual(first!.connecting, ["slow"])
      assert.isTrue(answer!.ok)
      assert.deepStrictEqual(Object.keys(later!.servers), ["slow"])
      assert.deepStrictEqual(more, [])
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasTerminals)("mcp-live start with a slow server, on a terminal", () => {
  it.live("names the servers that it waits for, and reports them without losing what is being typed", () =>
    Effect.gen(function* () {
      const { config, letCome } = yield* oneSlow
      const { shown, type, until } = yield* onTerminal("start", "--config", config, "--log-level", "error")
      yield* until(/1 of 2 MCP servers ready\. Waiting for slow \(\d+ s\)/)
      yield* until(/slow .*Connecting[^]*> /)
      type("/call fs/ec")
      yield* until(/\/call fs\/ec/)
      yield* letCome
      yield* until(/slow: Ready, \d+ tools \(stdio, [^\n]*\n[^\n]*> \/call fs\/ec/)
      type("ho text=early\r")
      yield* until(/── fs\/echo says ── (.{4})\r\nearly\r\n── end ── \1/)
      assert.notInclude(shown(), "EXTERNAL_UNTRUSTED_CONTENT")
      type("/exit\r")
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("prints no extra line where the log is shown", () =>
    Effect.gen(function* () {
      const { config, letCome } = yield* oneSlow
      const { shown, type, until } = yield* onTerminal("start", "--config", config)
      yield* until(/slow .*Connecting/)
      yield* letCome
      yield* until(/INFO +\[slow\] ready: stdio/)
      type("/call fs/echo text=after\r")
      yield* until(/\r\nafter\r\n/)
      assert.notMatch(shown(), /slow: Ready/)
      type("/exit\r")
    }).pipe(Effect.scoped)
  )
})

describe("a command with a slow server", () => {
  const slowToCome = { mcp: { servers: { fs: hostile(), slow: hostile("hang-initialize") } } }

  it.live("answers without the slow server, names it on stderr and in the document, and says how to wait for it", () =>
    Effect.gen(function* () {
      const config = yield* configFile(slowToCome)
      const by = (via: typeof run) => (command: string) =>
        Effect.map(via([command, "--json", "--config", config]), (finished) => ({ command, ...finished }))
      const programs = yield* Effect.forEach(["tools", "status"], by(run), { concurrency: 2 })
      const here = yield* Effect.forEach(["resources", "prompts"], by(runHere))
      for (const { code, command, stderr, stdout } of [...programs, ...here]) {
        assert.strictEqual(code, 0, command)
        assert.match(stderr, /still connecting, not waited for: slow; use --wait to wait for every server/)
        assert.deepStrictEqual((JSON.parse(stdout) as Printed).connecting, ["slow"], command)
      }
      const called = yield* run(["call", "fs/echo", "text=early", "--raw", "--config", config])
      assert.strictEqual(called.stdout.trim(), "early")
    }).pipe(Effect.scoped)
  )

  it.live("waits for the slow server with --wait", () =>
    Effect.gen(function* () {
      // Longer than a command waits without --wait once a server is ready.
      const config = yield* configFile({ mcp: { servers: { fs: hostile(), slow: hostile("slow-initialize:4000") } } })
      const waited = (command: string) => run([command, "--json", "--wait", "--config", config])
      const commands = rowsInFull(["tools", "status"], ["tools"])
      for (const { stderr, stdout } of yield* Effect.forEach(commands, waited, { concurrency: 2 })) {
        const { connecting, servers } = JSON.parse(stdout) as Printed
        assert.deepStrictEqual([connecting, servers["slow"]!.state], [[], "Ready"])
        assert.notInclude(stderr, "not waited for")
      }
    }).pipe(Effect.scoped)
  )
})

interface Printed {
  readonly servers: Readonly<Record<string, { readonly state: string }>>
  readonly connecting: ReadonlyArray<string>
  readonly line: string
  readonly ok: boolean
  readonly text: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly result: unknown }>
}

describe("mcp-live start --json", () => {
  it.live("answers each line of stdin with one document, and fails with the last when one failed", () =>
    Effect.gen(function* () {
      const lines = ["tools", "/call filesystem/list_directory path=.", "/call filesystem/list_directory path=/etc"]
      const { code, stdout } = yield* run(["start", "--json", "--config", "examples/openclaw.json"], {
        stdin: `${lines.join("\n")}\n`
      })
      const [first, ...answers] = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Printed)
      assert.strictEqual(first!.servers["filesystem"]!.state, "Ready")
      assert.deepStrictEqual(
        answers.map(({ line, ok }) => [line, ok]),
        [
          ["/tools", true],
          [lines[1], true],
          [lines[2], false]
        ]
      )
      assert.include(answers[0]!.text, "mcp_filesystem_read_text_file")
      assert.strictEqual(answers[1]!.calls[0]!.name, "mcp_filesystem_list_directory")
      assert.include(JSON.stringify(answers[1]!.calls[0]!.result), "orders.csv")
      assert.strictEqual(code, 1)
    })
  )
})
