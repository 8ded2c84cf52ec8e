import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { DEFAULT_ACP } from "../../../src/schemas/config/AcpConfig.ts"
import { DEFAULT_CALL_LIMITS } from "../../../src/schemas/call/CallLimits.ts"
import { readClientServers, readDirectory, type Surroundings } from "../../../src/programs/acp/clientServers.ts"
import { ownerOf, type Launch } from "../../../src/schemas/connection/ServerConfig.ts"

const around: Surroundings = { cwd: "/work", limits: DEFAULT_ACP, taken: [] }

const read = (given: unknown, change: Partial<Surroundings> = {}) => readClientServers(given, { ...around, ...change })
const served = (given: unknown, change?: Partial<Surroundings>) => Result.getOrThrow(read(given, change))
const PREFIX = "An MCP server of this session was not started: "
/** What is said of the one entry that is left out, or of what is no list. */
const error = (given: unknown, change?: Partial<Surroundings>) => {
  const result = read(given, change)
  if (Result.isFailure(result)) return result.failure
  assert.lengthOf(result.success.notices, 1)
  assert.isTrue(result.success.notices[0]!.startsWith(PREFIX))
  return result.success.notices[0]!.slice(PREFIX.length)
}
const launches = (given: unknown) => served(given).servers.map(({ launch }) => launch)

const stdio = { name: "x", command: "npx", args: ["-y", "y"], env: [{ name: "A", value: "1" }] }
const http = { type: "http", name: "h", url: "https://example.com/mcp", headers: [{ name: "X", value: "1" }] }

describe("the servers of a client", () => {
  it("of all three transports become ours, not shared with anybody", () => {
    assert.deepStrictEqual(launches([stdio, http, { ...http, name: "s", type: "sse" }]), [
      { kind: "stdio", command: "npx", args: ["-y", "y"], env: { A: "1" }, cwd: "/work" },
      { kind: "http", url: "https://example.com/mcp", headers: { X: "1" } },
      { kind: "sse", url: "https://example.com/mcp", headers: { X: "1" } }
    ])
    for (const { share } of served([stdio, http]).servers) assert.isFalse(share)
  })

  it("are called as often as the operator says, and otherwise limited as every server is", () => {
    const limitsOf = (limits: Surroundings["limits"]) =>
      served([stdio, http], { limits }).servers.map((one) => one.limits)
    assert.deepStrictEqual(limitsOf(DEFAULT_ACP), [DEFAULT_CALL_LIMITS, DEFAULT_CALL_LIMITS])
    for (const perMinute of [0, 7]) {
      const expected = {
        ...DEFAULT_CALL_LIMITS,
        perMinute,
        burst: perMinute === 0 ? DEFAULT_CALL_LIMITS.burst : perMinute
      }
      assert.deepStrictEqual(limitsOf({ ...DEFAULT_ACP, callsPerMinute: perMinute }), [expected, expected])
    }
    assert.deepInclude(limitsOf({ ...DEFAULT_ACP, callsPerMinute: 30, burst: 5 })[0], { perMinute: 30, burst: 5 })
  })

  it("may have calls that are silent for two minutes, or for as long as the operator says", () => {
    const silent = (limits: Surroundings["limits"]) => served([stdio], { limits }).servers[0]!.toolTimeout
    assert.strictEqual(silent(DEFAULT_ACP), 120_000)
    assert.strictEqual(silent({ ...DEFAULT_ACP, toolTimeout: 5_000 }), 5_000)
  })

  it("may leave lists out, and may say that they are stdio", () => {
    const bare: Launch = { kind: "stdio", command: "/bin/x", args: [], env: {}, cwd: "/work" }
    assert.deepStrictEqual(launches([{ name: "x", command: "/bin/x" }]), [bare])
    assert.deepStrictEqual(launches([{ type: "stdio", name: "x", command: "/bin/x", args: null, env: null }]), [bare])
  })

  it("are empty if the client sends none", () => {
    assert.deepStrictEqual(served(undefined).servers, [])
    assert.deepStrictEqual(served(null).servers, [])
    assert.deepStrictEqual(served([]).servers, [])
  })

  it("that are malformed are left out, each with a sentence that names it, and the others are there", () => {
    const { notices, servers } = served([1, stdio, { name: "bad" }, http, { ...http, name: "X" }])
    assert.deepStrictEqual(
      servers.map(({ name }) => name),
      ["x", "h"]
    )
    assert.deepStrictEqual(notices, [
      `${PREFIX}mcpServers[0] must be an object, and is of type number`,
      `${PREFIX}mcpServers[2] ("bad"): command must be a string, and is missing`,
      `${PREFIX}mcpServers[4] ("X"): has the name of mcpServers[1]`
    ])
  })

  it("with variables that can make a program run other code are left out alone, unless the operator allows the name", () => {
    const loud = { ...stdio, name: "loud", env: [{ name: "NODE_OPTIONS", value: "--require ./x.js" }] }
    const { notices, servers } = served([loud, stdio])
    assert.deepStrictEqual(
      servers.map(({ name }) => name),
      ["x"]
    )
    assert.match(
      notices.join(),
      /mcpServers\[0\] \("loud"\): the variable "NODE_OPTIONS" can make .* and acp\.allowEnv does not name it$/
    )
    assert.notInclude(notices.join(), "--require")
    const limits = { ...DEFAULT_ACP, allowEnv: ["NODE_OPTIONS", "LD_PRELOAD"] }
    assert.deepInclude(served([loud], { limits }).servers[0]!.launch, {
      env: { NODE_OPTIONS: "--require ./x.js" },
      allowEnv: ["NODE_OPTIONS"]
    })
  })

  it("at hosts that must not be reached are left out alone", () => {
    const limits = { ...DEFAULT_ACP, allowHosts: ["*.example.com"], denyHosts: ["bad.example.com"] }
    const at = (url: string) => ({ ...http, url })
    assert.deepStrictEqual(served([at("https://good.example.com/mcp")], { limits }).notices, [])
    assert.include(error([at("https://bad.example.com/mcp")], { limits }), "(acp.denyHosts)")
    assert.include(error([at("https://example.org/mcp")], { limits }), "(acp.allowHosts)")
    const [open] = served([at("http://localhost:8080/mcp")]).servers
    assert.isUndefined(open!.denyLoopback)
    const alone = { ...DEFAULT_ACP, denyHosts: ["localhost"] }
    assert.include(error([at("http://127.0.0.1:8080/mcp")], { limits: alone }), "(acp.denyHosts)")
    // A name may lead there, too.
    assert.isTrue(served([http], { limits: alone }).servers[0]!.denyLoopback)
  })

  it("that are malformed are named with the value that is wrong, which is never shown", () => {
    assert.strictEqual(error({}), "mcpServers must be a list, and is of type object")
    assert.strictEqual(error([stdio, 1]), "mcpServers[1] must be an object, and is of type number")
    assert.strictEqual(error([{ command: "x" }]), "mcpServers[0]: name must be a string, and is missing")
    assert.strictEqual(error([{ ...stdio, name: " " }]), "mcpServers[0]: the name of a server must not be empty")
    assert.strictEqual(error([{ name: "x" }]), 'mcpServers[0] ("x"): command must be a string, and is missing')
    assert.strictEqual(error([{ ...stdio, command: " " }]), 'mcpServers[0] ("x"): command must not be empty')
    assert.strictEqual(
      error([{ ...stdio, args: ["a", 2] }]),
      'mcpServers[0] ("x"): args[1] must be a string, and is of type number'
    )
    assert.strictEqual(
      error([{ ...stdio, env: { TOKEN: "hush" } }]),
      'mcpServers[0] ("x"): env must be a list, and is of type object'
    )
    assert.strictEqual(
      error([{ ...stdio, env: [{ name: "TOKEN", value: 5 }] }]),
      'mcpServers[0] ("x"): env[0].value must be a string, and is of type number'
    )
    assert.strictEqual(
      error([{ ...http, url: "file:///etc/passwd" }]),
      'mcpServers[0] ("h"): url must be an http or https address'
    )
    assert.strictEqual(
      error([{ ...http, type: "websocket" }]),
      'mcpServers[0] ("h"): type must be "stdio", "http" or "sse", and is "websocket"'
    )
    assert.strictEqual(error([{ ...stdio, command: "a\0b" }]), 'mcpServers[0] ("x"): command holds a NUL character')
  })

  it("are refused with a relative command, which would depend on where it is asked from", () => {
    for (const command of ["./run", "bin/run", "../run", "..\\run"]) {
      assert.include(error([{ ...stdio, command }]), "is a relative path")
    }
  })

  it("are told what to write instead of a relative command, if that is short enough to be copied", () => {
    assert.match(error([{ ...stdio, command: "./bin/run" }]), /: write ".*work[\\/]+bin[\\/]+run"$/)
    assert.match(error([{ ...stdio, command: `./${"x".repeat(300)}` }]), /is a relative path$/)
  })

  it("cannot have secrets of this machine sent to them", () => {
    const reference = "Bearer secret://env/OPENAI_API_KEY"
    for (const entry of [
      { ...stdio, args: [reference] },
      { ...stdio, env: [{ name: "A", value: reference }] },
      { ...http, url: "https://example.com/?k=secret://env/X" },
      { ...http, headers: [{ name: "Authorization", value: reference.replace("secret", "SECRET") }] }
    ]) {
      assert.include(error([entry]), "holds a secret:// reference")
    }
    // Variables are not followed either.
    assert.deepInclude(launches([{ ...stdio, args: ["${HOME}"] }])[0], { args: ["${HOME}"] })
  })

  it("with the same name in any case: only the first is taken", () => {
    assert.strictEqual(error([stdio, { ...stdio, name: "X" }]), 'mcpServers[1] ("X"): has the name of mcpServers[0]')
  })

  it("that are not allowed here are left out, with a word for the person", () => {
    const limits = { ...DEFAULT_ACP, maxServers: 1, stdio: false }
    const { notices, servers } = served([stdio, http, { ...http, name: "i" }, { ...http, name: "GH" }], {
      limits,
      taken: ["gh"]
    })
    assert.deepStrictEqual(
      servers.map(({ name }) => name),
      ["h"]
    )
    assert.lengthOf(notices, 3)
    assert.match(notices[0]!, /"x" was not started: this gateway starts no programs/)
    assert.match(notices[1]!, /"i" was not started: a session may have 1/)
    assert.match(notices[2]!, /"GH" was not started: the gateway has a server of that name/)
    for (const name of ["gh ", "g\u04bb", "g-h"]) {
      const alike = served([{ ...stdio, name }], { taken: ["gh"] })
      assert.deepStrictEqual(alike.servers, [], name)
      assert.match(alike.notices.join(), /was not started: the gateway has a server with a name that looks the same/)
    }
  })

  it("are owned by their session: what one has been given is not another's", () => {
    const [server] = served([stdio]).servers
    const owners = ["a", "b"].map((session) => ownerOf({ ...server!, session }))
    assert.notStrictEqual(owners[0], owners[1])
  })

  it("of any shape at all are taken or refused, and nothing is thrown", () => {
    const values: ReadonlyArray<unknown> = [
      undefined,
      null,
      0,
      "",
      "x",
      "\0",
      [],
      {},
      [1],
      [{}],
      true,
      "x".repeat(200_000),
      { toString: 1 }
    ]
    const keys = ["name", "command", "args", "env", "url", "headers", "type", "__proto__"]
    let taken = 0
    for (const key of keys) {
      for (const value of values) {
        for (const base of [stdio, http]) {
          const entry = JSON.parse(JSON.stringify({ ...base, extra: 1 })) as Record<string, unknown>
          Object.defineProperty(entry, key, { value, enumerable: true, configurable: true, writable: true })
          const result = read([entry])
          if (Result.isFailure(result)) assert.fail("a list of servers was refused as a whole")
          else if (result.success.servers.length === 1) taken++
          else assert.match(result.success.notices.join(), /: mcpServers\[0\]/)
        }
      }
    }
    assert.isAbove(taken, 0)
    for (const value of values) read(value)
  })
})

describe("the directory of a session", () => {
  it("is an absolute path, or an error that says what is wrong", () => {
    assert.deepStrictEqual(readDirectory("/work"), Result.succeed("/work"))
    assert.deepStrictEqual(readDirectory("work"), Result.fail("cwd must be an absolute path"))
    assert.deepStrictEqual(readDirectory(""), Result.fail("cwd must be an absolute path"))
    assert.deepStrictEqual(readDirectory(undefined), Result.fail("cwd must be a string, and is missing"))
    assert.deepStrictEqual(readDirectory("/a\0b"), Result.fail("cwd is no path"))
  })
})
