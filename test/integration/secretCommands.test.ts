import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { chmodSync, existsSync, readFileSync, watch, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { inspect } from "node:util"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import * as SecretResolverLayer from "../../src/layers/secret/SecretResolver.ts"
import { baseEnvironment, run } from "../../src/layers/secret/SecretResolver/secretCommand.ts"
import { DEFAULT_SECRETS, type SecretsConfig } from "../../src/schemas/secret/SecretsConfig.ts"
import { Redactor } from "../../src/services/content/Redactor.ts"
import { SecretResolver } from "../../src/services/secret/SecretResolver.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { alive } from "../support/alive.ts"
import { inFolder } from "../support/folder.ts"

type SecretSpec = Parameters<typeof run>[0]

const FIXTURE = inFixtures("secretCommand.ts")

const fixture = (scenario: string, ...args: ReadonlyArray<string>): SecretSpec => ({
  command: process.execPath,
  args: [FIXTURE, scenario, ...args],
  env: baseEnvironment(process.env)
})

/** The processes of a scenario, once it has told them. None of them outlives the test. */
const pidsIn = (folder: string) =>
  Effect.acquireRelease(
    Effect.callback<ReadonlyArray<number>>((resume) => {
      const file = join(folder, "pids")
      const look = () => {
        if (!existsSync(file)) return
        watcher.close()
        resume(Effect.succeed(JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<number>))
      }
      const watcher = watch(folder, look)
      look()
    }),
    (pids) => Effect.sync(() => pids.filter(alive).forEach((pid) => process.kill(pid, "SIGKILL")))
  )

describe("a command", () => {
  it.live("gets its arguments as they are: there is no shell", () =>
    Effect.gen(function* () {
      const args = ["$(id)", "`id`", "; rm -rf /", "a b", "*", "$HOME", "%PATH%", `"'\\`, "", "--", "a\nb", "&& x | y"]
      const { code, stdout } = yield* run(fixture("args", ...args))
      assert.deepStrictEqual(JSON.parse(stdout), args)
      assert.strictEqual(code, 0)
    })
  )

  it.live("gets the environment that it is given, and nothing else of this process", () =>
    Effect.gen(function* () {
      const host = { ...process.env, GITHUB_TOKEN: "canary", NODE_OPTIONS: "--title=canary" }
      const { stdout } = yield* run({ ...fixture("env"), env: { ...baseEnvironment(host), OWN: "1" } })
      const seen = JSON.parse(stdout) as Record<string, string>
      assert.strictEqual(seen["OWN"], "1")
      assert.strictEqual(seen["PATH"], process.env["PATH"])
      assert.notInclude(stdout, "canary")
    })
  )

  it.live("has no terminal to ask at, and does not wait for one", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(fixture("stdin"))).stdout, "nobody-is-there")
    })
  )

  it.live("may say a lot to its standard error, which is not kept", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* run(fixture("chatter"))
      assert.strictEqual(stdout, "value-after-all")
      assert.isAtMost(stderr.length, 256 * 1024)
    })
  )

  it.live("may be a wrapper that ends a moment before what it has started", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(fixture("wrapper"))).stdout, "value-of-a-child")
    })
  )

  it.live("may write a character in two pieces", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(fixture("split"))).stdout, "€-value")
    })
  )

  const failures: ReadonlyArray<readonly [what: string, spec: SecretSpec, detail: string, missing: boolean]> = [
    ["writes too much, and would go on", fixture("flood"), "wrote more than 1024 KiB", false],
    [
      "writes more than it may",
      { ...fixture("print", "x".repeat(2049)), maxBytes: 2048 },
      "wrote more than 2 KiB",
      false
    ],
    ["writes what is no text", fixture("bytes"), "did not write UTF-8 text", false],
    ["dies of a signal", fixture("crash"), "ended with signal SIGKILL", false],
    ["is not there", { ...fixture(""), command: "mcp-live-no-such-command" }, "is not installed", true],
    ["is not there, by its path", { ...fixture(""), command: "/nowhere/at-all" }, "is not installed", true],
    ["is a directory", { ...fixture(""), command: tmpdir() }, "could not be started: permission denied", false],
    [
      "contain a NUL",
      { ...fixture("print", "canary\0"), env: {} },
      "could not be started: its arguments or variables contain a NUL character",
      false
    ]
  ]
  for (const [what, spec, detail, missing] of failures) {
    it.live(`that ${what} fails in our words`, () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(run(spec))
        assert.deepStrictEqual(failure, { detail, missing })
        assert.notInclude(inspect(failure, { depth: 9 }), "canary")
      })
    )
  }

  it.live("may write exactly what it may", () =>
    Effect.gen(function* () {
      assert.lengthOf((yield* run({ ...fixture("print", "x".repeat(2048)), maxBytes: 2048 })).stdout, 2048)
    })
  )
})

describe.concurrent("nothing is left running", () => {
  it.live("of an abandoned command, although it and its child ignore SIGTERM", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const fiber = yield* Effect.forkChild(run(fixture("stubborn", folder)), { startImmediately: true })
      const pids = yield* pidsIn(folder)
      assert.lengthOf(pids, 2)
      assert.deepStrictEqual(pids.map(alive), [true, true])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(pids.map(alive), [false, false])
    }).pipe(Effect.scoped)
  )

  it.live("of a command that ended and left a child, which holds its output open", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      assert.strictEqual((yield* run(fixture("leave", folder))).stdout, "value-1234567890\n")
      assert.isFalse((yield* pidsIn(folder)).some(alive))
    }).pipe(Effect.scoped)
  )

  it.live("of a finished command; a process outside its group that holds its output open causes no delay", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      assert.strictEqual((yield* run(fixture("daemon", folder))).stdout, "value-1234567890\n")
      const [command, daemon] = yield* pidsIn(folder)
      assert.deepStrictEqual([alive(command!), alive(daemon!)], [false, true])
    }).pipe(Effect.scoped)
  )

  it.live("of a command that is read when the program closes", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(resolver({ hang: fixture("hang", folder) }), scope)
      const reading = Effect.provide(resolve("secret://exec/hang"), context)
      yield* Effect.forkChild(reading, { startImmediately: true })
      const pids = yield* pidsIn(folder)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(pids.map(alive), [false])
    }).pipe(Effect.scoped)
  )

  it.live("of a command that wrote too much", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      yield* Effect.flip(run(fixture("flood", folder)))
      assert.deepStrictEqual((yield* pidsIn(folder)).map(alive), [false])
    }).pipe(Effect.scoped)
  )
})

// ---- secret://exec/NAME --------------------------------------------------------------------------------------------

const ENV = { ...process.env, PASSWORD: "pw-1234567890" }

const resolver = (
  exec: Readonly<Record<string, Pick<SecretSpec, "args" | "command"> & { readonly env?: Record<string, string> }>>,
  options: SecretResolverLayer.Options = {}
) => {
  const commands = Object.entries(exec).map(([name, { args, command }]) => [name, { command, args, env: {} }])
  const config: SecretsConfig = { ...DEFAULT_SECRETS, exec: Object.fromEntries(commands) as SecretsConfig["exec"] }
  return SecretResolverLayer.layer({ env: ENV, config, ...options }).pipe(Layer.provideMerge(RedactorLayer.layer))
}

const resolve = Effect.fnUntraced(function* (text: string) {
  return Redacted.value(yield* (yield* SecretResolver).resolve("fs", text))
})

describe("secret://exec/NAME", () => {
  const values: ReadonlyArray<readonly [written: string, value: string]> = [
    ["value-1234567890", "value-1234567890"],
    ["value-1234567890\n", "value-1234567890"],
    ["value-1234567890\r\n", "value-1234567890"],
    ["  value-1234567890 \n\n", "  value-1234567890 \n"]
  ]
  for (const [written, value] of values) {
    it.live(`is what the command writes, without one line break: ${JSON.stringify(written)}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* resolve("Bearer secret://exec/login"), `Bearer ${value}`)
        assert.notInclude((yield* Redactor).redact(`x ${value} x`), "1234567890")
      }).pipe(Effect.provide(resolver({ login: fixture("print", written) })))
    )
  }

  it.live("is not searched for further references", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* resolve("secret://exec/login"), "secret://env/PASSWORD")
    }).pipe(Effect.provide(resolver({ login: fixture("refer") })))
  )

  it.live("may get secrets in its environment, and only there", () => {
    const login = { ...fixture("env"), env: { LOGIN: "alice:secret://env/PASSWORD" } }
    const config: SecretsConfig = { ...DEFAULT_SECRETS, exec: { login } }
    return Effect.gen(function* () {
      const seen = JSON.parse(yield* resolve("secret://exec/login")) as Record<string, string>
      assert.strictEqual(seen["LOGIN"], "alice:pw-1234567890")
      assert.isUndefined(seen["PASSWORD"])
    }).pipe(Effect.provide(resolver({}, { config })))
  })

  const failures: ReadonlyArray<readonly [scenario: string, detail: RegExp]> = [
    ["complain", /^its command ended with code 3: run it by hand to see why$/],
    ["crash", /^its command ended with signal SIGKILL$/],
    ["bytes", /^its command did not write UTF-8 text$/],
    ["print", /^it is empty$/]
  ]
  for (const [scenario, detail] of failures) {
    it.live(`that fails is an error without a word of it: ${scenario}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(resolve("secret://exec/login"))
        assert.match(error.detail, detail)
        assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "canary")
      }).pipe(Effect.provide(resolver({ login: fixture(scenario) })))
    )
  }
})

// ---- secret://op/… -------------------------------------------------------------------------------------------------

/** Stands in for the 1Password CLI, which takes an account to run: a script that says what the real one was seen to say. */
const withOp = (script: string, env: Record<string, string> = {}, op: SecretsConfig["op"] = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const folder = yield* inFolder
      const file = join(folder, "op")
      writeFileSync(file, `#!${process.execPath}\n${script}`)
      chmodSync(file, 0o755)
      const PATH = [folder, dirname(process.execPath), process.env["PATH"]].join(delimiter)
      return resolver({}, { env: { PATH, ...env }, config: { ...DEFAULT_SECRETS, op } })
    })
  )

const TELL = `process.stdout.write(JSON.stringify({ args: process.argv.slice(2), env: process.env }))`
const complain = (words: string) =>
  `process.stderr.write(${JSON.stringify(`[ERROR] 2026/10/01 12:00:00 ${words}\n`)}); process.exitCode = 1`

describe.skipIf(process.platform === "win32")("secret://op/VAULT/ITEM/FIELD", () => {
  it.live(
    "is read by the 1Password CLI, which gets no shell, one address, and what is its own of the environment",
    () =>
      Effect.gen(function* () {
        const { args, env } = JSON.parse(yield* resolve("{secret://op/My Vault/item, (old)/section/field}")) as {
          readonly args: ReadonlyArray<string>
          readonly env: Record<string, string>
        }
        assert.deepStrictEqual(args, [
          "read",
          "--no-newline",
          "--account=-x y",
          "op://My Vault/item, (old)/section/field"
        ])
        assert.strictEqual(env["OP_SERVICE_ACCOUNT_TOKEN"], "ops_1234567890")
        assert.strictEqual(env["OP_CACHE"], "false")
        assert.isUndefined(env["OP_FORMAT"])
        assert.isUndefined(env["GITHUB_TOKEN"])
        assert.strictEqual((yield* Redactor).redact("ops_1234567890"), "[REDACTED]")
      }).pipe(
        Effect.provide(
          withOp(
            TELL,
            { OP_SERVICE_ACCOUNT_TOKEN: "ops_1234567890", OP_FORMAT: "json", GITHUB_TOKEN: "canary" },
            { account: "-x y" }
          )
        )
      )
  )

  it.live("is the field as it is, with the line breaks in it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* resolve("secret://op/v/i/f"), "line-1\nline-2\n")
    }).pipe(Effect.provide(withOp(`process.stdout.write("line-1\\nline-2\\n")`)))
  )

  const READ = "could not read secret 'op://v/network login item/f': "
  const complaints: ReadonlyArray<readonly [words: string, detail: RegExp]> = [
    [
      `${READ}could not get item v/i: "i" isn't an item in the "v" vault. Specify the item with its UUID.`,
      /no such item/
    ],
    [`${READ}"v" isn't a vault in this account. Specify the vault with its ID or name.`, /no such vault/],
    [`${READ}item 'v/i' does not have a field 'canary'`, /no such field/],
    [`${READ}More than one item matches "i". Try again and specify the item by its ID`, /several items/],
    [`invalid secret reference 'op://v/i(canary)/f': invalid character in secret reference: '('`, /use IDs/],
    [
      `${READ}error initializing client: You are not currently signed in. Please run \`op signin --help\``,
      /not signed in/
    ],
    [`No accounts configured for use with 1Password CLI.`, /not signed in/],
    [`could not find session token for account canary`, /not signed in/],
    [`${READ}error initializing client: authorization prompt dismissed, please try again`, /was not allowed/],
    [
      `${READ}error initializing client: connecting to desktop app: read: connection reset`,
      /cannot reach the 1Password app/
    ],
    [
      `${READ}Validation: (failed to session.DecodeSACredentials), Server: illegal base64 data`,
      /refused the credentials/
    ],
    [`(401) Unauthorized: invalid bearer token`, /refused the credentials/],
    [`(403) Forbidden: You aren't authorized to access this resource.`, /does not allow it/],
    [`(429) Too Many Requests: You've reached the limit`, /limits how often/],
    [`${READ}error initializing client: read: context deadline exceeded`, /cannot be reached/],
    [
      `${READ}canary of a kind that was never seen`,
      /^the 1Password CLI \(op\) ended with code 1: to see why, run by hand: op read "op:\/\/VAULT\/ITEM\/FIELD"$/
    ]
  ]
  for (const [words, detail] of complaints) {
    it.live(`is complained of in our words: ${words}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(resolve("secret://op/v/i/f"))
        assert.match(error.detail, detail)
        assert.notInclude(error.message, "canary")
      }).pipe(Effect.provide(withOp(complain(words))))
    )
  }

  it.live("names the product when it is not installed", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(resolve("secret://op/v/i/f"))
      assert.strictEqual(error.detail, "the 1Password CLI (op) is not installed, or not in PATH")
    }).pipe(Effect.provide(resolver({}, { env: { PATH: "/nowhere" } })))
  )
})
