import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { knowEarly } from "../../../../src/layers/call/McpRuntime/knownEarly.ts"
import { makeGuard } from "../../../../src/layers/call/McpRuntime/secretArguments.ts"
import type { McpLiveOptions } from "../../../../src/layers/McpLive/options.ts"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { CALLS_IN_FLIGHT_MAX } from "../../../../src/schemas/defaults/CallLimits.ts"
import { RESULT_MAX_BYTES } from "../../../../src/schemas/defaults/Results.ts"
import { SECRET_REFUSAL_LOG_MS } from "../../../../src/schemas/defaults/Secrets.ts"
import { JSON_MAX_DEPTH } from "../../../../src/schemas/defaults/Wire.ts"
import type { SecretInArguments } from "../../../../src/schemas/call/CallError.ts"
import { SecretUnavailable } from "../../../../src/schemas/connection/ConnectError.ts"
import { ownerOf, serverOfOwner } from "../../../../src/schemas/connection/ServerConfig.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import type { CallRecord } from "../../../../src/services/call/AuditLog.ts"
import { ConfigSource } from "../../../../src/services/config/ConfigSource.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import type { SecretResolver } from "../../../../src/services/secret/SecretResolver.ts"
import { McpLiveTest, TestServers, type TestServer } from "../../../../src/testing.ts"
import { auditInto } from "../../../support/audit.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

const MINE = "sk-of-fs-0123456789ab"
const THEIRS = 'sk-of-web-"quoted"/zyxw'

// ---- the walk ----------------------------------------------------------------------------------------------------------

const guarding = (
  config: { blockSecretArguments?: boolean } = {},
  known: ReadonlyArray<readonly [string, string]> = [
    [MINE, "fs"],
    [THEIRS, "web"]
  ]
) => {
  const redactor = Effect.runSync(Redactor.pipe(Effect.provide(RedactorLayer.layer)))
  const server = serverConfig("fs", config)
  for (const [value, name] of known) redactor.register(value, name === "fs" ? ownerOf(server) : name)
  const guard = makeGuard(redactor)
  return (args: unknown, subject = "mcp_fs_write"): SecretInArguments | undefined =>
    refusalOf(guard(server, subject, args))
}

/** Of what is decided at once. */
const refusalOf = (guarded: Effect.Effect<void, SecretInArguments>): SecretInArguments | undefined =>
  Effect.runSync(Effect.match(guarded, { onFailure: (refusal) => refusal, onSuccess: () => undefined }))

const pathIn = (args: unknown) => guarding()(args)?.path

describe("secretArguments: refused arguments", () => {
  it("contain another server's secret as a value; the error has its path", () => {
    assert.strictEqual(pathIn({ text: `x ${THEIRS}` }), "text")
    assert.strictEqual(pathIn({ headers: { a: 1, token: THEIRS } }), "headers.token")
    assert.strictEqual(pathIn({ items: [1, "two", THEIRS] }), "items[2]")
    assert.strictEqual(pathIn({ a: [{ "my key": [[THEIRS]] }] }), 'a[0]["my key"][0][0]')
    assert.strictEqual(pathIn(THEIRS), "")
    assert.strictEqual(pathIn([THEIRS]), "[0]")
    assert.strictEqual(pathIn({ "": THEIRS }), '[""]')
  })

  it("contain another server's secret in a key; the path leaves the key out", () => {
    assert.strictEqual(pathIn({ headers: { [THEIRS]: "x" } }), "headers")
    assert.strictEqual(pathIn({ [`x-${THEIRS}`]: { a: 1 } }), "")
  })

  it("contain another server's secret in encoded or escaped form", () => {
    const forms = [
      encodeURIComponent(THEIRS),
      Buffer.from(`user:${THEIRS}`).toString("base64"),
      Buffer.from(THEIRS).toString("hex"),
      JSON.stringify({ key: THEIRS }),
      JSON.stringify(JSON.stringify({ key: THEIRS })),
      JSON.stringify({ key: THEIRS }).replace("sk-of", "sk\\u002d\\u006ff"),
      `curl -H 'x: ${THEIRS.replaceAll('"', "&quot;")}'`
    ]
    for (const text of forms) assert.deepInclude(guarding()({ text }), { what: "secret", path: "text" }, text)
  })

  it("fail with an error that contains no secret of any server", () => {
    const guard = guarding()
    const errors = [
      guard({ [`own ${MINE}`]: { [MINE]: THEIRS } }, `https://x.example/${MINE}?k=${THEIRS}`),
      guard({ [MINE.padEnd(60, "x")]: THEIRS }),
      guard({ [`${"x".repeat(30)}${MINE}`]: THEIRS })
    ]
    for (const error of errors) {
      assert.strictEqual(error?.what, "secret")
      const shown = `${error?.message} ${JSON.stringify(error)}`
      for (const part of ["sk-of", "0123456789ab", "quoted", "zyxw"]) assert.notInclude(shown, part)
      assert.include(shown, "[REDACTED]")
    }
  })

  it("fail with a short path, however deep or long the keys are", () => {
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ ["k".repeat(1000)]: inner }), THEIRS)
    assert.isAtMost(pathIn(deep)!.length, 200)
    assert.match(pathIn({ ["k".repeat(1000)]: THEIRS })!, /^\["k{40}…"\]$/)
  })

  it("contain a mask in place of a value", () => {
    for (const text of [
      "[REDACTED]",
      "TOKEN=[REDACTED]",
      '{"token": "[REDACTED]"}',
      "__OPENCLAW_REDACTED__",
      "<redacted>"
    ])
      assert.deepInclude(guarding()({ config: { text } }), { what: "mask", path: "config.text" }, text)
  })
})

describe("secretArguments: allowed arguments", () => {
  it("contain the server's own secrets, or none", () => {
    for (const args of [
      {},
      { text: MINE },
      { [MINE]: MINE },
      { text: "sk-of-web" },
      { n: 1, b: true, nothing: null, u: undefined },
      [],
      null,
      7,
      "text"
    ])
      assert.isUndefined(guarding()(args), JSON.stringify(args))
  })

  it("contain text about a mask, a mask as a key, or masks of other programs", () => {
    for (const args of [
      { text: "the field shows [REDACTED] in the log" },
      { "[REDACTED]": "x" },
      { text: "PASSWORD=***" }
    ])
      assert.isUndefined(guarding()(args), JSON.stringify(args))
  })

  it("contain anything while no secret is known or the check is off", () => {
    for (const args of [{ text: THEIRS }, { text: "[REDACTED]" }]) {
      assert.isUndefined(guarding({}, [])(args))
      assert.isUndefined(guarding({ blockSecretArguments: false })(args))
    }
  })

  it("do not include circular values, which are refused after a bounded walk", () => {
    const circle: Record<string, unknown> = { a: "x" }
    circle["b"] = circle
    let looks = 0
    const redactor = Effect.runSync(Redactor.pipe(Effect.provide(RedactorLayer.layer)))
    redactor.register(THEIRS)
    const guard = makeGuard({ ...redactor, holdsForeign: () => ++looks < 0 })
    assert.strictEqual(refusalOf(guard(serverConfig("fs"), "mcp_fs_write", circle))?.what, "secret")
    assert.isAtMost(looks, 3 * JSON_MAX_DEPTH)
  })
})

// ---- through the runtime -----------------------------------------------------------------------------------------------

const live = (servers: Record<string, TestServer>, options?: Omit<McpLiveOptions, "config">) =>
  McpLiveTest(servers, options).pipe(Layer.provideMerge(Logger.layer([])))

const notes: TestServer = {
  resources: [{ uri: `note://1?key=${MINE}`, name: "One", read: () => "words" }],
  resourceTemplates: [{ uriTemplate: "note://{id}", name: "Any", complete: () => ["1"] }],
  prompts: [{ name: "sum", arguments: [{ name: "of" }, { name: "like" }], complete: () => ["1"] }]
}

/** What owns the secrets of a configured server, or of one that there is not. */
const ownerNamed = Effect.fnUntraced(function* (name: string) {
  const { agents } = yield* (yield* ConfigSource).load
  const config = agents.flatMap(({ servers }) => servers).find((server) => server.name === name)
  return config === undefined ? name : ownerOf(config)
})

const registered = Effect.gen(function* () {
  const { register } = yield* Redactor
  register(MINE, yield* ownerNamed("fs"))
  register(THEIRS, yield* ownerNamed("web"))
})

const start = Effect.gen(function* () {
  yield* registered
  const runtime = yield* McpRuntime
  yield* runtime.tools
  const { calls } = (yield* TestServers).counts("fs")
  return { runtime, asked: Effect.map(TestServers, ({ counts }) => counts("fs").calls - calls) }
})

const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join()
const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)

describe("secretArguments: a call", () => {
  it.effect("with a secret of another server is refused with advice, and is not sent", () =>
    Effect.gen(function* () {
      const { asked, runtime } = yield* start
      const result = yield* runtime.call("mcp_fs_echo", { text: `key: ${THEIRS}` })
      assert.isTrue(result.isError)
      assert.strictEqual(tagOf(result), "SecretInArguments")
      assert.match(
        textOf(result),
        /mcp_fs_echo.*was not sent to MCP server 'fs'.*does not belong to this server at 'text'.*tell the user/
      )
      assert.notInclude(JSON.stringify(result), "zyxw")
      assert.strictEqual(yield* asked, 0)
      assert.isFalse((yield* runtime.call("mcp_web_echo", { text: `key: ${THEIRS}` })).isError)
      assert.isFalse((yield* runtime.call("mcp_fs_echo", { text: MINE })).isError)
    }).pipe(Effect.provide(live({ fs: {}, web: {} })))
  )

  it.effect("refused for a secret is logged at most once a minute per tool, without the secret", () => {
    const lines: Array<string> = []
    const logger = Logger.make((entry) => void lines.push(`${entry.logLevel} ${String(entry.message)}`))
    return Effect.gen(function* () {
      const { runtime } = yield* start
      const told = () => lines.filter((line) => line.includes("blockSecretArguments"))
      const call = runtime.call("mcp_fs_echo", { text: THEIRS })
      yield* call
      yield* call
      assert.deepStrictEqual(told(), [
        "Warn [fs] mcp_fs_echo was refused: its arguments contain a secret that does not belong to this server at 'text'; " +
          '"blockSecretArguments": false on this server turns this check off'
      ])
      yield* TestClock.adjust(SECRET_REFUSAL_LOG_MS - 1)
      yield* call
      assert.lengthOf(told(), 1)
      yield* TestClock.adjust(1)
      yield* call
      assert.lengthOf(told(), 2)
      yield* runtime.call("mcp_fs_echo", { text: "[REDACTED]" })
      assert.lengthOf(told(), 2)
      assert.notInclude(lines.join("\n"), "zyxw")
    }).pipe(Effect.provide(McpLiveTest({ fs: {}, web: {} }).pipe(Layer.provideMerge(Logger.layer([logger])))))
  })

  it.effect("with a mask in place of a value is refused with advice, and is not sent", () =>
    Effect.gen(function* () {
      const { asked, runtime } = yield* start
      const result = yield* runtime.call("mcp_fs_echo", { text: "A=1\nTOKEN=[REDACTED]\n" })
      assert.strictEqual(tagOf(result), "SecretInArguments")
      assert.match(textOf(result), /there is a mask in place of the value at 'text'.*do not write the mask/)
      assert.strictEqual(yield* asked, 0)
    }).pipe(Effect.provide(live({ fs: {} })))
  )

  it.effect("is sent with a secret of another server under blockSecretArguments: false", () =>
    Effect.gen(function* () {
      const { asked, runtime } = yield* start
      assert.isFalse((yield* runtime.call("mcp_fs_echo", { text: THEIRS })).isError)
      assert.strictEqual(yield* asked, 1)
    }).pipe(Effect.provide(live({ fs: { config: { blockSecretArguments: false } } })))
  )

  it.effect("that the policy denies fails with PolicyDenied, whatever its arguments", () =>
    Effect.gen(function* () {
      const { runtime } = yield* start
      assert.strictEqual(tagOf(yield* runtime.call("mcp_fs_echo", { text: THEIRS })), "PolicyDenied")
    }).pipe(Effect.provide(live({ fs: { config: { tools: { exclude: ["echo"] } } } })))
  )

  it.effect("takes no place in flight when it is refused", () =>
    Effect.gen(function* () {
      const { runtime } = yield* start
      for (let i = 0; i <= CALLS_IN_FLIGHT_MAX; i++) {
        assert.strictEqual(tagOf(yield* runtime.call("mcp_fs_echo", { text: THEIRS })), "SecretInArguments")
      }
      assert.isFalse((yield* runtime.call("mcp_fs_echo", { text: "x" })).isError)
    }).pipe(Effect.provide(live({ fs: {} })))
  )

  it.effect("is recorded with the shape of its arguments and the outcome SecretInArguments", () => {
    const records: Array<CallRecord> = []
    return Effect.gen(function* () {
      const { runtime } = yield* start
      yield* runtime.call("mcp_fs_echo", { text: THEIRS })
      const [record] = records
      assert.deepInclude(record, { server: "fs", tool: "echo", outcome: "SecretInArguments" })
      assert.strictEqual(record!.shape(), `{text: string(${THEIRS.length})}`)
    }).pipe(Effect.provide(live({ fs: {} }, { replace: { audit: auditInto(records) } })))
  })

  it.effect("through mcp_call_tool is refused as well", () =>
    Effect.gen(function* () {
      const { asked, runtime } = yield* start
      const args = { name: "mcp_fs_echo", arguments: { text: THEIRS } }
      assert.strictEqual(tagOf(yield* runtime.call("mcp_call_tool", args)), "SecretInArguments")
      assert.strictEqual(yield* asked, 0)
    }).pipe(Effect.provide(live({ fs: {} })))
  )
})

describe("secretArguments: resources, prompts and completions", () => {
  it.effect("refuse a URI with a secret of another server, from programs and tools", () =>
    Effect.gen(function* () {
      const { asked, runtime } = yield* start
      const uri = `note://${encodeURIComponent(THEIRS)}`
      const error = yield* Effect.flip(runtime.readResource(uri, "fs"))
      assert.deepInclude(error, { _tag: "SecretInArguments", what: "secret", subject: "note://[REDACTED]" })
      assert.strictEqual(tagOf(yield* runtime.call("mcp_fs_read_resource", { uri })), "SecretInArguments")
      assert.strictEqual(yield* asked, 0)
    }).pipe(Effect.provide(live({ fs: notes })))
  )

  it.effect("accept a listed URI that contains a mask", () =>
    Effect.gen(function* () {
      const { runtime } = yield* start
      const listed = (yield* runtime.resources)[0]!.uri
      assert.strictEqual(listed, "note://1?key=[REDACTED]")
      assert.isFalse((yield* runtime.call("mcp_fs_read_resource", { uri: listed })).isError)
      const other = yield* Effect.flip(runtime.readResource("note://2?key=[REDACTED]", "fs"))
      assert.deepInclude(other, { _tag: "SecretInArguments", what: "mask" })
    }).pipe(Effect.provide(live({ fs: notes })))
  )

  it.effect("refuse a prompt argument with a secret of another server", () =>
    Effect.gen(function* () {
      const { asked, runtime } = yield* start
      const error = yield* Effect.flip(runtime.getPrompt("mcp_fs_sum", { of: "x", like: `${THEIRS}!` }))
      assert.deepInclude(error, { _tag: "SecretInArguments", subject: "mcp_fs_sum", path: "like", what: "secret" })
      assert.strictEqual(yield* asked, 0)
      yield* runtime.getPrompt("mcp_fs_sum", { of: MINE })
    }).pipe(Effect.provide(live({ fs: notes })))
  )

  it.effect("refuse a completion with a secret of another server in value, name or context", () =>
    Effect.gen(function* () {
      const { asked, runtime } = yield* start
      const ofPrompt = { type: "prompt", name: "mcp_fs_sum" } as const
      const ofTemplate = { type: "resource", uriTemplate: "note://{id}" } as const
      const refused = [
        runtime.complete(ofPrompt, { name: "of", value: THEIRS }),
        runtime.complete(ofPrompt, { name: "of", value: "", others: { like: THEIRS } }),
        runtime.complete(ofPrompt, { name: THEIRS, value: "" }),
        runtime.complete(ofTemplate, { name: "id", value: THEIRS })
      ]
      for (const completion of refused) {
        const error = yield* Effect.flip(completion)
        assert.deepInclude(error, { _tag: "SecretInArguments", what: "secret" })
        assert.notInclude(error.message, "zyxw")
      }
      assert.strictEqual(yield* asked, 0)
      assert.deepStrictEqual((yield* runtime.complete(ofPrompt, { name: "of", value: MINE })).values, ["1"])
    }).pipe(Effect.provide(live({ fs: notes })))
  )
})

describe("knowEarly", () => {
  it.effect("registers plain secrets and env and file references of enabled servers, and ignores failures", () => {
    const asked: Array<readonly [string, string]> = []
    const secrets: SecretResolver["Service"] = {
      resolve: (owner, text) =>
        Effect.suspend(() => {
          asked.push([serverOfOwner(owner), text])
          return Effect.fail(new SecretUnavailable({ server: "fs", reference: text, detail: "not there" }))
        }),
      know: (owner, value) => Effect.sync(() => void asked.push([serverOfOwner(owner), value])),
      forget: () => Effect.void
    }
    const env = { A: "Bearer secret://env/A", B: "secret://vault/kv/b/c", C_TOKEN: "plain-0123", D: "secret://Env/x" }
    const launch = { kind: "stdio", command: "x", args: ["-k={secret://file/run/k}"], env, cwd: undefined } as const
    return Effect.gen(function* () {
      yield* knowEarly(secrets, [serverConfig("fs", { launch }), serverConfig("off", { launch, enabled: false })])
      assert.deepStrictEqual(asked, [
        ["fs", "plain-0123"],
        ["fs", "{secret://env/A}"],
        ["fs", "{secret://file/run/k}"]
      ])
    })
  })
})

describe("a secret that becomes known late", () => {
  it.effect("is masked in parts of a result that was kept before", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const { register } = yield* Redactor
      const result = yield* runtime.call("mcp_fs_echo", { text: `${"word ".repeat(RESULT_MAX_BYTES / 4)}${MINE} end` })
      const handle = /r-[0-9a-f]{16}/.exec(textOf(result))![0]
      const grep = { handle, grep: "end" }
      assert.include(textOf(yield* runtime.call("mcp_read_more", grep)), MINE)
      register(MINE, "fs")
      const again = textOf(yield* runtime.call("mcp_read_more", grep))
      assert.include(again, "[REDACTED] end")
      assert.notInclude(again, MINE)
    }).pipe(Effect.provide(live({ fs: {} })))
  )
})
