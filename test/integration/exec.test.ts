/** `mcp-live exec`, as a client of somebody else starts it: real processes, and nothing between them. */
import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { alive } from "../support/alive.ts"
import { MAIN } from "../support/built.ts"
import { pause } from "../support/pause.ts"

const EXEC = [MAIN, "exec"]
const SECRET = "a-value-of-the-file-0123"
const folder = mkdtempSync(join(tmpdir(), "mcp-live-exec-"))
const file = join(folder, "token")
writeFileSync(file, `${SECRET}\n`, { mode: 0o600 })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script = (name: string, text: string, mode = 0o755) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
}

const surroundings = (env: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: folder,
  ...env
})

const run = (args: ReadonlyArray<string>, { env, input }: Given = {}) => {
  const { signal, status, stderr, stdout } = spawnSync(process.execPath, [...EXEC, ...args], {
    cwd: folder,
    env: surroundings(env),
    input,
    maxBuffer: 64 * 1024 * 1024
  })
  return { signal, status, stderr: stderr.toString(), stdout }
}

const SHOW = `process.stdout.write(JSON.stringify({ env: process.env, args: process.argv.slice(1) }))`
const show = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  own: ReadonlyArray<string> = []
) => {
  const { status, stderr, stdout } = run([...own, "--", process.execPath, "-e", SHOW, "--", ...args], { env })
  assert.strictEqual(status, 0, stderr)
  return JSON.parse(stdout.toString()) as { readonly env: Record<string, string>; readonly args: ReadonlyArray<string> }
}

describe("mcp-live exec", () => {
  it("reports unexpected errors without the resolved secrets", () => {
    const preload = script(
      "throws.mjs",
      "process.execve = (file, args, env) => { throw new Error(`no room for ${env.TOKEN}`) }"
    )
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", preload, ...EXEC, "--", process.execPath, "-e", ""],
      { cwd: folder, env: surroundings({ TOKEN: `secret://file${file}` }), encoding: "utf8" }
    )
    assert.strictEqual(status, 1)
    assert.include(stderr, "mcp-live: exec: internal error: Error: no room for [REDACTED]")
    assert.notInclude(stderr, SECRET)
  })

  it("gives the command values in place of references, in its environment and its arguments", () => {
    const { args, env } = show(["--token=secret://env/OTHER", "--x", "a b"], {
      OTHER: "v",
      TOKEN: `Bearer secret://file${file}`,
      PLAIN: "as it is"
    })
    assert.strictEqual(env["TOKEN"], `Bearer ${SECRET}`)
    assert.strictEqual(env["PLAIN"], "as it is")
    assert.deepStrictEqual(args, ["--token=v", "--x", "a b"])
  })

  it("takes the settings of a provider from a configuration", () => {
    const config = join(folder, "mcp.json")
    const command = { command: process.execPath, args: ["-e", "console.log('of a command')"] }
    writeFileSync(config, JSON.stringify({ mcp: { servers: {}, secrets: { exec: { it: command } } } }))
    assert.strictEqual(show([], { A: "secret://exec/it" }, ["--config", config]).env["A"], "of a command")
  })

  it("passes on no settings of its own, and no variables of --unset", () => {
    const { env } = show(
      [],
      {
        MCP_LIVE_HOME: "h",
        MCP_LIVE_CONFIG: "c",
        MCP_LIVE_ORDER_DEPTH: "2",
        MCP_LIVE_TAG: "t",
        VAULT_TOKEN: "v",
        A: "secret://env/VAULT_TOKEN"
      },
      ["--unset", "VAULT_TOKEN"]
    )
    assert.deepStrictEqual(
      Object.keys(env)
        .filter((name) => name.startsWith("MCP_LIVE"))
        .toSorted(),
      ["MCP_LIVE_ORDER_DEPTH", "MCP_LIVE_TAG"]
    )
    assert.strictEqual(env["A"], "v")
    assert.notProperty(env, "VAULT_TOKEN")
  })

  it.skipIf(process.platform !== "linux")(
    "is the command: its process, its pipes as they were, its signals",
    async () => {
      const look = script(
        "look.sh",
        "#!/bin/sh\necho $$; grep -E 'SigIgn|SigBlk' /proc/self/status | grep -vc 0000000000000000; for i in 0 1 2; do grep flags /proc/self/fdinfo/$i; done; tr '\\0' ' ' < /proc/$$/cmdline; cat"
      )
      const child = spawn(process.execPath, [...EXEC, "--", look, "secret://env/A"], {
        env: surroundings({ A: "v", T: `secret://file${file}` })
      })
      let out = ""
      child.stdout.on("data", (piece: Buffer) => (out += piece.toString()))
      child.stdin.write("hello\n")
      while (!out.includes("hello")) await once(child.stdout, "data")
      const [pid, ignored, ...rest] = out.split("\n")
      assert.strictEqual(Number(pid), child.pid)
      assert.strictEqual(ignored, "0")
      // None of them is non-blocking.
      assert.deepStrictEqual(
        rest.slice(0, 3).map((line) => Number.parseInt(line.split(/\s+/)[1] ?? "", 8) & 0o4000),
        [0, 0, 0]
      )
      child.kill("SIGKILL")
      await once(child, "exit")
      assert.isFalse(alive(Number(pid)))
    }
  )

  it("passes every byte on, in both directions", () => {
    const bytes = Buffer.from(Array.from({ length: 3 * 1024 * 1024 }, (_, index) => (index * 31) % 256))
    assert.isTrue(run(["--", "cat"], { input: bytes, env: { T: `secret://file${file}` } }).stdout.equals(bytes))
  })

  it("ends as the command ends", () => {
    assert.strictEqual(run(["--", "sh", "-c", "exit 7"]).status, 7)
    assert.strictEqual(run(["--", "sh", "-c", "kill -TERM $$"]).signal, "SIGTERM")
    assert.strictEqual(run(["--", "sh", "-c", "kill -PIPE $$"]).signal, "SIGPIPE")
  })

  it("runs a script of the current directory that is named like a flag of the shell", () => {
    script("-y", "echo plain $1\n")
    script("-z", "#!/bin/sh\necho named $1\n")
    for (const [name, said] of [
      ["-y", "plain a\n"],
      ["-z", "named a\n"]
    ] as const) {
      const { stderr, stdout } = run(["--", name, "a"], { env: { PATH: ":/usr/bin:/bin" } })
      assert.strictEqual(stdout.toString(), said, stderr)
    }
  })

  it("runs what every shell runs: a name in PATH, a path, a script without a first line", () => {
    const bare = script("bare", "echo from a bare script $1")
    assert.strictEqual(run(["--", bare, "x"]).stdout.toString(), "from a bare script x\n")
    assert.strictEqual(run(["--", "bare", "y"], { env: { PATH: folder } }).stdout.toString(), "from a bare script y\n")
  })

  it.each<
    readonly [why: string, args: ReadonlyArray<string>, env: Record<string, string>, code: number, words: string]
  >([
    ["no --", ["node"], {}, 2, "the command must follow --"],
    ["no command", ["--"], {}, 2, "there is no command after --"],
    ["a flag that it has not", ["--verbose", "--", "true"], {}, 2, "only --config FILE and --unset NAME are allowed"],
    ["a flag without its value", ["--config", "--", "true"], {}, 2, "--config needs a value"],
    ["a command that is not there", ["--", "no-such-command"], {}, 127, '"no-such-command" was not found'],
    ["a path that is not there", ["--", "/no/such"], {}, 127, '"/no/such" was not found'],
    ["a directory", ["--", "/tmp"], {}, 126, "cannot be executed"],
    ["a reference as the command", ["--", `secret://file${file}`], {}, 2, "cannot be a secret:// reference"],
    [
      "a variable that is not set",
      ["--", "true"],
      { T: "secret://env/NOPE" },
      2,
      "T needs secret://env/NOPE: the environment variable is not set"
    ],
    ["a reference to itself", ["--", "true"], { T: "secret://env/T" }, 2, "it is a reference itself"],
    ["a provider that is none", ["--", "true"], { T: "secret://nix/x" }, 2, "there is no provider 'nix'"],
    ["a command that nobody configured", ["--", "true", "secret://exec/x"], {}, 2, "argument 1 needs secret://exec/x"],
    ["what is no reference", ["--", "true"], { T: "secret://" }, 2, "it names no provider and path"],
    ["a mask", ["--", "true"], { T: "secret://env/M", M: "[REDACTED]" }, 2, "T is a mask, not a value"],
    [
      "a configuration that is not there",
      ["--config", "/no/such.json", "--", "true"],
      { T: "secret://env/PATH" },
      2,
      "/no/such.json"
    ],
    [
      "too much",
      ["--", "true", "x".repeat(100_000), "secret://env/L", "secret://env/L"],
      { L: "y".repeat(100_000) },
      0,
      ""
    ],
    [
      "far too much",
      ["--", "true", "secret://env/Lsecret://env/L".replace("Ls", "L,s")],
      { L: "y".repeat(70_000) },
      126,
      "too long"
    ]
  ])("says what is wrong, and starts nothing: %s", (_, args, env, code, words) => {
    const { status, stderr, stdout } = run(args, { env })
    assert.strictEqual(status, code, stderr)
    assert.include(stderr, words)
    assert.strictEqual(stdout.length, 0)
    assert.isAtMost(stderr.split("\n").length, 2)
  })

  it("is not found out where a script has no interpreter, or may not be run", () => {
    const lost = run(["--", script("lost", "#!/no/such/interpreter\n")])
    assert.deepStrictEqual([lost.status, lost.stderr.includes('"/no/such/interpreter"')], [127, true])
    assert.strictEqual(run(["--", script("closed", "#!/bin/sh\n", 0o644)]).status, 126)
  })

  it("never shows a value", () => {
    const { stderr } = run(["--", "no-such-command", `secret://file${file}`], { env: { T: `secret://file${file}` } })
    assert.notInclude(stderr, SECRET)
  })

  it("is ended by a signal while it asks, with what it has asked", async () => {
    const config = join(folder, "slow.json")
    const pidFile = join(folder, "slow.pid")
    const slow = script("slow", `#!/bin/sh\necho $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600\n`)
    writeFileSync(config, JSON.stringify({ mcp: { servers: {}, secrets: { exec: { slow: { command: slow } } } } }))
    const child = spawn(process.execPath, [...EXEC, "--config", config, "--", "true"], {
      env: surroundings({ T: "secret://exec/slow" }),
      stdio: "ignore"
    })
    const pid = await eventually(() => Number(readFileSync(pidFile, "utf8")))
    child.kill("SIGTERM")
    const [, signal] = (await once(child, "exit")) as [number | null, string | null]
    assert.strictEqual(signal, "SIGTERM")
    await eventually(() => {
      if (alive(pid)) throw new Error("it lives")
    })
  })
})

/** The test's own time is the limit. */
async function eventually<A>(look: () => A): Promise<A> {
  for (;;) {
    try {
      return look()
    } catch {
      await pause()
    }
  }
}
