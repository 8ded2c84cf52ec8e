import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { spawn, spawnSync } from "node:child_process"
import { createServer } from "node:net"
import { constants, homedir, tmpdir } from "node:os"
import { basename, join } from "node:path"
import { withDescendants } from "../../src/system/process/descent.ts"
import { makeSurveys } from "../../src/system/process/survey.ts"
import { findBubblewrap } from "../../src/layers/connection/ServerConnector/sandbox/bubblewrap.ts"
import { NOTHING_GUARDED } from "../../src/layers/connection/ServerConnector/sandbox/guarded.ts"
import { inSandbox } from "../../src/layers/connection/ServerConnector/sandbox/sandbox.ts"
import { sandboxOf, type SandboxOptions } from "../../src/schemas/connection/Sandbox.ts"
import type { ServerConnection, ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { inFixtures, serverPath, shell } from "../fixtures/servers.ts"
import { alive } from "../support/alive.ts"
import { callTool, connectorLayer, connectorWith, open, stdioConfig, textOf } from "../support/connector.ts"
import { doubleFork, ownSession } from "../support/daemons.ts"
import { fakeHost } from "../support/host.ts"
import { pauses } from "../support/pause.ts"

const missing = await Effect.runPromise(
  Effect.match(findBubblewrap(), { onFailure: (words) => words, onSuccess: () => undefined })
)
if (missing !== undefined) {
  const words = `the sandbox is not tested here: ${missing}`
  // Where nobody reads warnings, tests that are left out would be taken for tests that passed.
  if (process.env["REQUIRE_BUBBLEWRAP"] !== undefined) throw new Error(words)
  console.warn(words)
}

const playing =
  (play: typeof it.live | typeof it.live.skip) =>
  (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
    play(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))
const scenario = Object.assign(playing(it.live), {
  skipIf: (skipped: boolean) => playing(skipped ? it.live.skip : it.live)
})

const keyctl = { x64: 250, arm64: 219 }[process.arch as string]
const hasPerl = spawnSync("perl", ["-v"]).status === 0

interface Launch {
  readonly command?: string
  readonly args?: ReadonlyArray<string>
  readonly env?: Record<string, string>
  readonly cwd?: string
}

const sandboxed = (sandbox: boolean | SandboxOptions, { args, command, cwd, env = {} }: Launch = {}) => {
  const own = shell()
  const launch = { kind: "stdio" as const, command: command ?? own.command, args: args ?? own.args, env, cwd }
  return open(stdioConfig("", [], { launch, sandbox }))
}

const ask = (connection: ServerConnection, tool: string, args: Record<string, unknown> = {}) =>
  Effect.map(callTool(connection, tool, args), textOf)

/** A directory with a secret in it. */
const folder = (parent: string = tmpdir()) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const made = realpathSync(mkdtempSync(join(parent, "mcp-live-sandbox-")))
      writeFileSync(join(made, "secret.txt"), "top secret")
      return made
    }),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )

describe.skipIf(missing !== undefined)("sandbox: the disk", () => {
  scenario(
    "authorities that the host trusts are there for a server with a network, and what its own entry names is not",
    Effect.gen(function* () {
      const made = yield* folder()
      const [trusted, own] = [join(made, "ca.pem"), join(made, "secret.txt")]
      writeFileSync(trusted, "an authority")
      const before = process.env["REQUESTS_CA_BUNDLE"]
      process.env["REQUESTS_CA_BUNDLE"] = trusted
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["REQUESTS_CA_BUNDLE"]
          else process.env["REQUESTS_CA_BUNDLE"] = before
        })
      )
      const server = yield* sandboxed({ network: true }, { env: { SSL_CERT_FILE: own } })
      assert.include(yield* ask(server, "read", { path: trusted }), "an authority")
      assert.include(yield* ask(server, "read", { path: own }), "ENOENT")
      const alone = yield* sandboxed(true)
      assert.include(yield* ask(alone, "read", { path: trusted }), "ENOENT")
    })
  )

  scenario(
    "what is not listed is not there, and cannot be made",
    Effect.gen(function* () {
      const server = yield* sandboxed(true)
      for (const parent of [tmpdir(), homedir(), "/var/tmp"]) {
        const made = yield* folder(parent)
        assert.include(yield* ask(server, "read", { path: join(made, "secret.txt") }), "ENOENT")
        assert.include(yield* ask(server, "write", { path: join(made, "new.txt"), text: "x" }), "ENOENT")
        assert.isFalse(existsSync(join(made, "new.txt")))
      }
      for (const path of ["/etc/shadow", "/etc/hostname", "/root/.bashrc", "/var/log", "/run", "/sys", "/boot"]) {
        assert.include(yield* ask(server, "read", { path }), "ENOENT", path)
      }
    })
  )

  scenario(
    "the system and the server's own files are read-only, its parents are empty",
    Effect.gen(function* () {
      const server = yield* sandboxed(true)
      const [script] = shell().args
      assert.include(yield* ask(server, "read", { path: script }), "createInterface")
      for (const path of ["/new", "/usr/new", "/etc/new", "/dev/new", `${script}.new`, script!]) {
        assert.match(yield* ask(server, "write", { path, text: "x" }), /EROFS|EACCES|ENOENT/, path)
      }
      assert.include(readFileSync(script!, "utf8"), "createInterface")
    })
  )

  scenario(
    "what is listed can be read, and written where it is listed for that; links lead where they lead outside",
    Effect.gen(function* () {
      const [read, write, linked] = [yield* folder(), yield* folder(), yield* folder(homedir())]
      const link = join(read, "link")
      symlinkSync(linked, link)
      const around = join(yield* folder(), "by-another-name")
      symlinkSync(read, around)
      const server = yield* sandboxed({ filesystem: { read: [around], write: [write] } })
      assert.strictEqual(yield* ask(server, "read", { path: join(read, "secret.txt") }), "top secret")
      assert.strictEqual(yield* ask(server, "read", { path: join(around, "secret.txt") }), "top secret")
      assert.include(yield* ask(server, "write", { path: join(around, "new.txt"), text: "x" }), "EROFS")
      assert.include(yield* ask(server, "read", { path: join(link, "secret.txt") }), "ENOENT", "a link opens nothing")
      assert.strictEqual(yield* ask(server, "write", { path: join(write, "new.txt"), text: "new" }), "written")
      assert.strictEqual(readFileSync(join(write, "new.txt"), "utf8"), "new")
      const both = yield* sandboxed({ filesystem: { read: [read, link] } })
      assert.strictEqual(yield* ask(both, "read", { path: join(link, "secret.txt") }), "top secret")
    })
  )

  scenario(
    "it has an empty home and a /tmp of its own, which are gone with it",
    Effect.gen(function* () {
      const home = yield* folder(homedir())
      const launch = { env: { HOME: home } }
      const neighbour = yield* folder("/tmp")
      const server = yield* sandboxed(true, launch)
      assert.strictEqual(yield* ask(server, "sh", { script: `ls -A ${home}; ls -A /dev/shm` }), "")
      assert.notInclude(yield* ask(server, "sh", { script: "ls -A /tmp" }), basename(neighbour))
      for (const path of [join(home, "x"), "/tmp/mcp-live-sandbox-x", "/dev/shm/mcp-live-sandbox-x"]) {
        assert.strictEqual(yield* ask(server, "write", { path, text: "x" }), "written")
        assert.isFalse(existsSync(path))
      }
      const next = yield* sandboxed(true, launch)
      assert.include(yield* ask(next, "read", { path: join(home, "x") }), "ENOENT")
      const listed = yield* sandboxed({ filesystem: { read: [home] } }, launch)
      assert.strictEqual(yield* ask(listed, "read", { path: join(home, "secret.txt") }), "top secret")
    })
  )

  scenario(
    "it starts in its cwd, which it may read",
    Effect.gen(function* () {
      const cwd = yield* folder()
      const server = yield* sandboxed(true, { cwd })
      assert.strictEqual(yield* ask(server, "cwd"), cwd)
      assert.strictEqual(yield* ask(server, "read", { path: "secret.txt" }), "top secret")
      assert.include(yield* ask(server, "write", { path: "new.txt", text: "x" }), "EROFS")
    })
  )

  scenario(
    "rights in a namespace of its own do not open what is read-only, nor the settings of the system",
    Effect.gen(function* () {
      const made = yield* folder()
      const server = yield* sandboxed({ filesystem: { read: [made] } })
      const script = `
        mount -o remount,rw,bind ${made}; touch ${made}/a
        unshare -Urm sh -c 'mount -o remount,rw,bind ${made}; touch ${made}/b'
        (: >> /proc/sys/kernel/core_pattern) && echo OPEN
        grep CapEff /proc/self/status`
      const said = yield* ask(server, "sh", { script })
      assert.notInclude(said, "OPEN")
      assert.include(said, "0000000000000000")
      assert.deepStrictEqual([existsSync(join(made, "a")), existsSync(join(made, "b"))], [false, false])
    })
  )
})

describe.skipIf(missing !== undefined)("sandbox: what is the gateway's own", () => {
  /** A home with a configuration and a data directory in it. */
  const gatewayHome = Effect.map(folder(homedir()), (home) => {
    const at = (...names: ReadonlyArray<string>) => join(home, ...names)
    for (const name of ["data/credentials", "deep/er", "work"]) mkdirSync(at(name), { recursive: true })
    writeFileSync(at("data/credentials/token"), "a token")
    writeFileSync(at("deep/er/openclaw.json"), "{}")
    return { at, home, guard: { configFiles: [at("deep/er/openclaw.json")], directory: at("data") } }
  })
  type Home = Effect.Success<typeof gatewayHome>
  const guarded = ({ guard }: Home, sandbox: boolean | SandboxOptions, launch?: Launch) =>
    sandboxed(sandbox, launch).pipe(Effect.provide(connectorWith(fakeHost(), [], undefined, guard)))
  const refusal = (home: Home, filesystem: SandboxOptions["filesystem"]) =>
    Effect.map(Effect.flip(guarded(home, { filesystem })), (error) => {
      assert.strictEqual(error._tag, "InvalidLaunch")
      return error.message
    })

  scenario(
    "a place where the configuration lies cannot be listed for writing, however it is named",
    Effect.gen(function* () {
      const home = yield* gatewayHome
      const { at, guard } = home
      const link = join(yield* folder(), "link")
      symlinkSync(at("deep"), link)
      for (const path of [at(), at("deep"), at("deep/er"), at("deep/er/openclaw.json"), link]) {
        assert.include(yield* refusal(home, { write: [path] }), guard.configFiles[0]!, path)
      }
      // The server could set the link anew.
      symlinkSync(at("deep/er/openclaw.json"), at("work", "linked.json"))
      const linked = { ...home, guard: { ...guard, configFiles: [at("work", "linked.json")] } }
      assert.include(yield* refusal(linked, { write: [at("work")] }), "linked.json")
      // One that would be found before the one that is.
      const absent = { ...home, guard: { ...guard, configFiles: [at("work", "openclaw.json")] } }
      assert.include(yield* refusal(absent, { write: [at("work")] }), "openclaw.json")
      const server = yield* guarded(home, { filesystem: { read: [at("deep")], write: [at("work")] } })
      const text = "{ sandbox: false }"
      assert.include(yield* ask(server, "write", { path: guard.configFiles[0], text }), "EROFS")
      assert.strictEqual(yield* ask(server, "write", { path: at("work", "new.txt"), text }), "written")
    })
  )

  scenario(
    "tokens and approvals are not there in a directory that is listed around them, and cannot be listed themselves",
    Effect.gen(function* () {
      const home = yield* gatewayHome
      const { at } = home
      const server = yield* guarded(home, { filesystem: { read: [at()] } })
      assert.strictEqual(yield* ask(server, "read", { path: at("secret.txt") }), "top secret")
      assert.strictEqual(yield* ask(server, "sh", { script: `ls -A ${at("data")}` }), "")
      const alone = { ...home, guard: { directory: at("data"), configFiles: [] } }
      for (const filesystem of [{ write: [at()] }, { write: [at("data")] }, { read: [at("data/credentials")] }]) {
        assert.include(yield* refusal(alone, filesystem), "tokens and approvals")
      }
      // They may come while it runs.
      rmSync(at("data"), { recursive: true })
      const early = yield* guarded(home, { filesystem: { read: [at()] } })
      mkdirSync(at("data/credentials"), { recursive: true })
      writeFileSync(at("data/credentials/token"), "a token")
      assert.strictEqual(yield* ask(early, "sh", { script: `ls -A ${at("data")}` }), "")
    })
  )

  scenario(
    "a server that is installed in the data directory runs, and sees itself alone",
    Effect.gen(function* () {
      const home = yield* gatewayHome
      const script = home.at("data", "server.ts")
      writeFileSync(script, readFileSync(shell().args[0]!))
      const server = yield* guarded(home, { filesystem: { read: [home.at()] } }, { args: [script] })
      assert.strictEqual(yield* ask(server, "sh", { script: `ls -A ${home.at("data")}` }), "server.ts")
    })
  )
})

describe.skipIf(missing !== undefined)("sandbox: of a gateway that runs as root", () => {
  scenario(
    "a place to write comes with a warning, for set-uid programs that may be left there; nothing else does",
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Warn") warnings.push(String(message))
      })
      const made = yield* folder()
      const warned = (filesystem: SandboxOptions["filesystem"]) =>
        sandboxed({ filesystem }).pipe(Effect.provide(connectorWith(fakeHost(), [logger])))
      yield* warned({ read: [made] })
      assert.lengthOf(warnings, 0)
      yield* warned({ write: [made] })
      const expected = process.geteuid!() === 0 ? 1 : 0
      assert.lengthOf(
        warnings.filter((each) => each.includes("set-uid")),
        expected
      )
    })
  )
})

describe.skipIf(missing !== undefined)("sandbox: network, processes, environment", () => {
  const listening = Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1", () => {
        resume(Effect.succeed({ port: (server.address() as { port: number }).port, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

  scenario(
    "no way out, also not to this machine, unless the network is allowed",
    Effect.gen(function* () {
      const { port } = yield* listening
      const closed = yield* sandboxed(true)
      assert.match(yield* ask(closed, "connect", { port }), /^failed: ECONNREFUSED/)
      assert.match(yield* ask(closed, "connect", { port: 53, host: "192.0.2.1" }), /^failed: ENETUNREACH/)
      assert.strictEqual(
        yield* ask(closed, "sh", { script: "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '" }),
        "lo"
      )
      const opened = yield* sandboxed({ network: true })
      assert.strictEqual(yield* ask(opened, "connect", { port }), "connected")
    })
  )

  scenario.skipIf(keyctl === undefined || !hasPerl)(
    "the keyrings of its user are closed",
    Effect.gen(function* () {
      const server = yield* sandboxed(true)
      // keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, create)
      const script = `perl -e 'print syscall(${keyctl}, 0, -4, 1), " ", $! + 0'`
      assert.strictEqual(yield* ask(server, "sh", { script }), `-1 ${constants.errno.EPERM}`)
    })
  )

  scenario(
    "no process is there but its own, and it can signal no other",
    Effect.gen(function* () {
      const server = yield* sandboxed(true)
      const script = "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done"
      const seen = (yield* ask(server, "sh", { script })).split("\n").filter((line) => line.trim() !== "")
      assert.isAtMost(seen.length, 6)
      assert.isEmpty(seen.filter((line) => line.includes("vitest")))
      assert.include(yield* ask(server, "sh", { script: `kill -0 ${process.pid}` }), "failed")
    })
  )

  scenario(
    "the environment is the one that every server gets, but for the directory for temporary files",
    Effect.gen(function* () {
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = "/somewhere/else"
      const opening = yield* Effect.exit(sandboxed(true, { env: { OWN: "yes" } }))
      if (before === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = before
      const seen = JSON.parse(yield* ask(yield* opening, "env")) as Record<string, string>
      assert.deepInclude(seen, { OWN: "yes", PATH: process.env["PATH"], HOME: process.env["HOME"] })
      assert.isUndefined(seen["TMPDIR"])
      const allowed =
        /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|TZ|LC_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy|OWN|PWD|MCP_LIVE_TAG)$/
      assert.isEmpty(Object.keys(seen).filter((name) => !allowed.test(name)))
    })
  )

  scenario(
    "everything in it ends with the connection, also when it is killed, daemons and all",
    Effect.gen(function* () {
      for (const how of ["closed", "killed"]) {
        const seen = yield* Effect.scoped(
          Effect.gen(function* () {
            const server = yield* sandboxed(true)
            yield* ask(server, "start", { script: ownSession })
            yield* ask(server, "sh", { script: doubleFork })
            // In there they have other numbers: the ones out here are told by descent.
            const { entries } = (yield* Effect.promise(makeSurveys().shared))!
            const inside = withDescendants(entries, [server.info.pid!], () => false).map(({ pid }) => pid)
            assert.isAtLeast(inside.length, 5)
            if (how === "killed") process.kill(server.info.pid!, "SIGKILL")
            return inside
          })
        )
        assert.deepStrictEqual(seen.filter(alive), [])
      }
    })
  )

  scenario(
    "nothing of it outlives a gateway that is killed, without anybody's help",
    Effect.gen(function* () {
      const gateway = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [inFixtures("gateway.ts"), ownSession, doubleFork], {
            env: { ...process.env, SANDBOX: "yes" },
            stdio: ["pipe", "pipe", "inherit"]
          })
        ),
        (child) => Effect.sync(() => void child.kill("SIGKILL"))
      )
      yield* Effect.callback<void>((resume) => void gateway.stdout.once("data", () => resume(Effect.void)))
      const { entries } = (yield* Effect.promise(makeSurveys().shared))!
      const pids = withDescendants(entries, [gateway.pid!], () => false).map(({ pid }) => pid)
      assert.isAtLeast(pids.length, 9)
      gateway.kill("SIGKILL")
      yield* Effect.sync(() => pids.some(alive)).pipe(
        Effect.repeat({ schedule: pauses, until: (left) => !left }),
        Effect.timeout("10 seconds")
      )
    })
  )

  scenario(
    "a server that is asked to go has its time to go",
    Effect.gen(function* () {
      const made = yield* folder()
      const { args, command } = shell(`--farewell=${join(made, "farewell")}`)
      yield* Effect.scoped(sandboxed({ filesystem: { write: [made] } }, { command, args }))
      assert.isTrue(existsSync(join(made, "farewell")))
    })
  )
})

describe.skipIf(missing !== undefined)("sandbox: programs", () => {
  scenario(
    "a published server works in the directories that are listed, and in no other, whatever its arguments say",
    Effect.gen(function* () {
      const [listed, other] = [yield* folder(), yield* folder()]
      const server = yield* sandboxed(
        { filesystem: { write: [listed] } },
        { command: process.execPath, args: [serverPath("filesystem"), listed, "/"] }
      )
      const read = (path: string) =>
        Effect.map(callTool(server, "read_text_file", { path }), (result) => JSON.stringify(result))
      assert.include(yield* read(join(listed, "secret.txt")), "top secret")
      const refused = yield* read(join(other, "secret.txt"))
      assert.include(refused, "ENOENT")
      yield* callTool(server, "write_file", { path: join(listed, "new.txt"), content: "new" })
      assert.strictEqual(readFileSync(join(listed, "new.txt"), "utf8"), "new")
    })
  )

  scenario(
    "a program that PATH finds through links runs, with the package and the modules that it needs",
    Effect.gen(function* () {
      const home = yield* folder(homedir())
      const at = (...names: ReadonlyArray<string>) => join(home, ...names)
      for (const name of ["bin", "lib/node_modules/server/dist", "lib/node_modules/helper"])
        mkdirSync(at(name), { recursive: true })
      symlinkSync(process.execPath, at("bin", "node"))
      symlinkSync("../lib/node_modules/server/dist/cli.mjs", at("bin", "my-server"))
      writeFileSync(at("lib/node_modules/helper/package.json"), '{ "name": "helper", "main": "index.js" }')
      writeFileSync(at("lib/node_modules/helper/index.js"), "exports.there = true")
      writeFileSync(at("lib/node_modules/server/package.json"), '{ "name": "server", "version": "7" }')
      const cli = at("lib/node_modules/server/dist/cli.mjs")
      writeFileSync(
        cli,
        `#!/usr/bin/env node
        import { createRequire } from "node:module"
        const require = createRequire(import.meta.url)
        if (!require("helper").there || require("../package.json").version !== "7") process.exit(1)
        await import(${JSON.stringify(shell().args[0])})`
      )
      chmodSync(cli, 0o755)
      const server = yield* sandboxed(
        { filesystem: { read: [shell().args[0]!] } },
        { command: "my-server", args: [], env: { PATH: `${at("bin")}:/usr/bin:/bin`, HOME: home } }
      )
      assert.include(yield* ask(server, "read", { path: at("secret.txt") }), "ENOENT", "its home is not shown with it")
    })
  )

  scenario(
    "one that was to be fetched first says that there is no network, and what to do; also when it only waits",
    Effect.gen(function* () {
      const made = yield* folder()
      const npx = join(made, "npx")
      const failing = (script: string, sandbox: boolean | SandboxOptions, timeout = 15_000) => {
        writeFileSync(npx, `#!/bin/sh\n${script}\n`)
        chmodSync(npx, 0o755)
        const launch = { kind: "stdio" as const, command: npx, args: ["-y", "some-server"], env: {}, cwd: undefined }
        const opening = Effect.scoped(open(stdioConfig("", [], { launch, sandbox, timeout })))
        return Effect.map(Effect.flip(opening), ({ message }) => message)
      }
      const gone = yield* failing("echo EAI_AGAIN >&2; exit 1", true)
      assert.match(
        gone,
        /exited with code 1; 'npx' fetches a package .* no network: install .*; its last words: EAI_AGAIN/
      )
      assert.match(yield* failing("exec sleep 60", true, 500), /not ready within 500 ms .*; 'npx' fetches a package/)
      assert.notInclude(yield* failing("exit 1", { network: true }), "network")
    })
  )

  scenario(
    "a script in the home directory is shown without its neighbours",
    Effect.gen(function* () {
      const home = yield* folder(homedir())
      const script = join(home, "server.ts")
      writeFileSync(script, readFileSync(shell().args[0]!))
      const server = yield* sandboxed(true, { args: [script], env: { HOME: home } })
      assert.strictEqual(yield* ask(server, "sh", { script: `ls -A ${home}` }), "server.ts")
    })
  )

  scenario(
    "modules above a program are shown only if they are its own: no link, and nothing in a place where anybody may write",
    Effect.gen(function* () {
      const [above, hidden] = [yield* folder(), yield* folder(homedir())]
      const own = join(above, "own")
      mkdirSync(join(own, "node_modules"), { recursive: true })
      writeFileSync(join(own, "node_modules", "part"), "")
      writeFileSync(join(own, "server.ts"), readFileSync(shell().args[0]!, "utf8"))
      const listing = (server: ServerConnection, path: string) => ask(server, "sh", { script: `ls -A ${path} 2>&1` })
      const start = () => sandboxed(true, { command: process.execPath, args: [join(own, "server.ts")] })

      symlinkSync(hidden, join(above, "node_modules"))
      const linked = yield* start()
      assert.include(yield* ask(linked, "read", { path: join(hidden, "secret.txt") }), "ENOENT")
      assert.include(yield* listing(linked, join(own, "node_modules")), "part")

      rmSync(join(above, "node_modules"))
      mkdirSync(join(above, "node_modules"))
      writeFileSync(join(above, "node_modules", "planted"), "")
      chmodSync(above, 0o1777)
      assert.notInclude(yield* listing(yield* start(), join(above, "node_modules")), "planted")
      chmodSync(above, 0o755)
      assert.include(yield* listing(yield* start(), join(above, "node_modules")), "planted")
    })
  )

  scenario(
    "a server cannot choose what it is shown at its next start by what it leaves where it may write",
    Effect.gen(function* () {
      const [own, hidden] = [yield* folder(), yield* folder(homedir())]
      const tool = join(hidden, "tool")
      writeFileSync(tool, "#!/bin/sh\n")
      chmodSync(tool, 0o755)
      writeFileSync(join(hidden, "package.json"), "{}")
      const inOwn = (name: string, text: string) => {
        writeFileSync(join(own, name), text)
        chmodSync(join(own, name), 0o755)
      }
      inOwn("package.json", "{}")
      inOwn("server.ts", readFileSync(shell().args[0]!, "utf8"))
      symlinkSync(hidden, join(own, "node_modules"))
      symlinkSync(join(hidden, "package.json"), join(own, "other.js"))
      inOwn("interpreted.js", `#!${tool}\n`)
      const server = yield* sandboxed(
        { filesystem: { write: [own] } },
        {
          command: process.execPath,
          args: ["server.ts", "other.js", "interpreted.js"].map((name) => join(own, name))
        }
      )
      assert.include(yield* ask(server, "read", { path: join(hidden, "secret.txt") }), "ENOENT")
      assert.strictEqual(yield* ask(server, "read", { path: join(own, "secret.txt") }), "top secret")

      const data = join(hidden, "data")
      mkdirSync(data)
      writeFileSync(join(data, "planted"), `#!${tool}\n`)
      chmodSync(join(data, "planted"), 0o755)
      const launched = yield* inSandbox("fs", sandboxOf({ filesystem: { write: [data] } })!, {
        command: "planted",
        args: [],
        env: { PATH: data },
        cwd: undefined
      })
      const shown = launched.args.filter((argument) => argument.startsWith(hidden))
      assert.deepStrictEqual(
        new Set(shown),
        new Set([data, join(data, "planted")]),
        "neither its package nor its tools"
      )

      const link = join(own, "data")
      symlinkSync(hidden, link)
      for (const filesystem of [{ read: [link], write: [own] }, { write: [own, link] }]) {
        const error = yield* Effect.flip(sandboxed({ filesystem }))
        assert.include(error.message, "a link that the server can change")
      }
    })
  )

  scenario(
    "what would make bubblewrap itself load code reaches the server alone",
    Effect.gen(function* () {
      const spec = {
        command: process.execPath,
        args: [],
        env: { LD_PRELOAD: "/evil.so", OWN: "1", PATH: "" },
        cwd: undefined
      }
      const launched = yield* inSandbox("fs", sandboxOf(true)!, spec)
      assert.deepStrictEqual(launched.env, { OWN: "1", PATH: "" })
      const at = launched.args.indexOf("--setenv")
      assert.deepStrictEqual(launched.args.slice(at, at + 3), ["--setenv", "LD_PRELOAD", "/evil.so"])
    })
  )

  const refusals: ReadonlyArray<readonly [string, boolean | SandboxOptions, Launch, string, string]> = [
    [
      "a path that does not exist",
      { filesystem: { read: ["/no/such/folder"] } },
      {},
      "InvalidLaunch",
      "/no/such/folder does not exist"
    ],
    ["a path that is not absolute", { filesystem: { write: ["data"] } }, {}, "InvalidLaunch", "absolute"],
    ["a part of /proc", { filesystem: { read: ["/proc/1"] } }, {}, "InvalidLaunch", "/proc of its own"],
    ["a command that is not there", true, { command: "no-such-command-here" }, "SpawnFailed", "command not found"],
    ["a cwd that is not there", true, { cwd: "/no/such/folder" }, "SpawnFailed", "/no/such/folder"]
  ]
  for (const [what, sandbox, launch, tag, words] of refusals) {
    scenario(
      `${what} is refused in words`,
      Effect.gen(function* () {
        const error = yield* Effect.flip(sandboxed(sandbox, launch))
        assert.strictEqual(error._tag, tag)
        assert.include(error.message, words)
      })
    )
  }
})

describe("sandbox: where it cannot be had, nothing is started", () => {
  scenario(
    "without bubblewrap the error says what to install",
    Effect.gen(function* () {
      const spec = { command: process.execPath, args: [], env: {}, cwd: undefined }
      const nowhere = () => findBubblewrap("/no/such/folder")
      const error = yield* Effect.flip(inSandbox("fs", sandboxOf(true)!, spec, NOTHING_GUARDED, nowhere))
      assert.strictEqual(error._tag, "InvalidLaunch")
      assert.include(error.message, "apt install bubblewrap")
    })
  )

  scenario(
    "where it does not work the error says why, and it is asked again",
    Effect.gen(function* () {
      const made = yield* folder()
      const bwrap = join(made, "bwrap")
      const says = (text: string) => {
        writeFileSync(bwrap, `#!/bin/sh\necho "bwrap: ${text}" >&2; touch ${made}/ran; exit 1`)
        chmodSync(bwrap, 0o755)
      }
      const words = (complaint: string) => {
        says(complaint)
        return Effect.map(Effect.flip(findBubblewrap(made)), String)
      }
      assert.include(yield* words("No permissions to create new namespace"), "kernel.unprivileged_userns_clone")
      assert.include(yield* words("setting up uid map: Permission denied"), "namespaces")
      assert.include(yield* words("Can't mount proc on /newroot/proc: Operation not permitted"), "container")
      assert.include(yield* words("Unknown option --cap-drop"), "Unknown option")
      assert.isTrue(existsSync(join(made, "ran")))
      assert.include(yield* Effect.flip(findBubblewrap("/usr/bin", "darwin")), "Linux")
    })
  )
})
