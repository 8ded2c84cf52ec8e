import { assert, describe, it } from "@effect/vitest"
import { LAZY_IDLE_TTL_MS } from "../../../src/schemas/defaults/Connections.ts"
import { RESULT_MAX_BYTES } from "../../../src/schemas/defaults/Results.ts"
import { serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"
import { aliasesOf, SERVER_KEY_NAMES, SERVER_KEYS, type ServerKey } from "../../../src/schemas/config/ServerKeys.ts"
import {
  decode,
  entryErrors,
  entryWarnings,
  errorsOf,
  httpOf,
  serverOf,
  stdioOf,
  warningsOf,
  withServer
} from "./decoding.ts"

const server = (entry: string, env: Readonly<Record<string, string>> = {}) => serverOf(decode(withServer(entry), env))
const nameErrors = (name: string) => errorsOf(`{ mcpServers: { ${JSON.stringify(name)}: { command: "a" } } }`)

describe("a server entry", () => {
  it("needs a command, and has defaults for the other keys", () => {
    assert.deepStrictEqual(
      server(`{ command: "node" }`),
      serverConfig("x", { kind: "stdio", command: "node", args: [], env: {}, cwd: undefined })
    )
  })

  it("accepts every key", () => {
    const entry = `{
      enabled: false, transport: "stdio", command: "uvx", args: ["a", "", 8080], cwd: "/srv",
      env: { TEXT: "t", NUMBER: 1.5, FLAG: false }, sandbox: { filesystem: { read: ["/a"] } }, allowPrivate: true, timeout: 1, toolTimeout: 2, restartOnCrash: false, maxRestarts: 0,
      toolPrefix: "px", lazy: true, idleTtlMs: 0, share: false, protocol: "2025-06-18", resources: false,
      resourceFilter: ["file:///srv/*"], resourceContext: false, resourceRefreshMs: 0,
      tools: { include: ["read_*"], exclude: ["read_all"] },
      budget: { bytes: 10, blocks: 3, tools: { read_media: { blocks: 1 }, "read_*": { bytes: 5, blocks: 2 } } },
      limits: { perMinute: 0, burst: 2, perDay: 6, perMonth: 7, inFlight: 3, failures: 0, coolDownMs: 5 },
      roots: false, sampling: "allow", elicitation: "deny",
      contentMode: "encode", onFinding: { pattern: "withhold" }, blockSecretArguments: false, pin: "block", allowEnv: ["TEXT"]
    }`
    assert.deepStrictEqual(server(entry), {
      name: "x",
      enabled: false,
      launch: {
        kind: "stdio",
        command: "uvx",
        args: ["a", "", "8080"],
        env: { TEXT: "t", NUMBER: "1.5", FLAG: "false" },
        allowEnv: ["TEXT"],
        cwd: "/srv"
      },
      sandbox: { filesystem: { read: ["/a"], write: [] }, network: false },
      protocol: "2025-06-18",
      allowPrivate: true,
      timeout: 1,
      toolTimeout: 2,
      restartOnCrash: false,
      maxRestarts: 0,
      toolPrefix: "px",
      lazy: true,
      idleTtlMs: 0,
      share: false,
      isolate: false,
      resources: false,
      resourceFilter: ["file:///srv/*"],
      resourceContext: false,
      resourceRefreshMs: 0,
      tools: { include: ["read_*"], exclude: ["read_all"] },
      budget: { bytes: 10, blocks: 3 },
      limits: { perMinute: 0, burst: 2, perDay: 6, perMonth: 7, inFlight: 3, failures: 0, coolDownMs: 5 },
      toolBudgets: [
        { tools: "read_media", budget: { bytes: 10, blocks: 1 } },
        { tools: "read_*", budget: { bytes: 5, blocks: 2 } }
      ],
      roots: false,
      sampling: true,
      elicitation: false,
      content: { mode: "encode", withhold: ["pattern"] },
      blockSecretArguments: false,
      pin: "block"
    })
    assert.deepStrictEqual(httpOf(server(`{ url: "https://a.example/mcp", headers: { "X-A": 1, "X-B": true } }`)), {
      kind: "http",
      url: "https://a.example/mcp",
      headers: { "X-A": "1", "X-B": "true" }
    })
  })

  it("may allow private addresses, which has no effect without a url", () => {
    assert.isFalse(server(`{ url: "https://a.example/mcp" }`).allowPrivate)
    assert.isTrue(server(`{ url: "https://a.example/mcp", allowPrivate: true }`).allowPrivate)
    assert.isNotEmpty(entryErrors(`{ url: "https://a.example/mcp", allowPrivate: "yes" }`))
    assert.include(entryWarnings(`{ command: "a", allowPrivate: true }`).join(), "no effect")
    assert.isEmpty(entryWarnings(`{ url: "https://a.example/mcp", allowPrivate: true }`))
  })

  it("has a default idle time when it is lazy", () => {
    assert.strictEqual(server(`{ command: "a", lazy: true }`).idleTtlMs, LAZY_IDLE_TTL_MS)
    assert.strictEqual(server(`{ command: "a", idleTtlMs: 5 }`).idleTtlMs, 5)
  })

  it("allows or denies sampling and elicitation by word or by flag", () => {
    for (const key of ["sampling", "elicitation"] as const) {
      const given = (value: string) => server(`{ command: "a", ${key}: ${value} }`, { ASK: "allow" })[key]
      for (const value of [`"allow"`, "true", `"\${ASK}"`]) assert.isTrue(given(value), value)
      for (const value of [`"deny"`, "false", `"\${NEVER_SET:-deny}"`]) assert.isFalse(given(value), value)
      assert.deepStrictEqual(entryErrors(`{ command: "a", ${key}: "ask" }`), [
        `x.${key}: must be "allow" or "deny", is "ask"`
      ])
      assert.deepStrictEqual(entryErrors(`{ command: "a", ${key}: 1 }`), [`x.${key}: must be "allow" or "deny", is 1`])
    }
  })

  it('has a share of true, false, "session", "client" or "person", and isolate is undefined by default', () => {
    const shared = (value: string) => {
      const { isolate, share } = server(`{ command: "a", share: ${value} }`, { OWN: "client" })
      return [share, isolate]
    }
    assert.deepStrictEqual(shared("true"), [true, false])
    assert.deepStrictEqual(shared("false"), [false, false])
    assert.deepStrictEqual(shared(`"session"`), [false, "session"])
    assert.deepStrictEqual(shared(`"\${OWN}"`), [false, "client"])
    assert.isUndefined(server(`{ command: "a" }`).isolate)
    for (const wrong of ['"agent"', "1"]) {
      assert.deepStrictEqual(entryErrors(`{ command: "a", share: ${wrong} }`), [
        `x.share: must be true, false, "session", "client" or "person", is ${wrong}`
      ])
    }
  })

  it('has a pin of "off", "warn" or "block", and "warn" is the default', () => {
    assert.strictEqual(server(`{ command: "a" }`).pin, "warn")
    for (const pin of ["off", "warn", "block"]) assert.strictEqual(server(`{ command: "a", pin: "${pin}" }`).pin, pin)
    assert.deepStrictEqual(entryErrors(`{ command: "a", pin: "blocked" }`), [
      'x.pin: must be one of "off", "warn", "block", is "blocked"'
    ])
    assert.strictEqual(entryErrors(`{ command: "a", pin: true }`).length, 1)
  })

  it("has budgets of tools that take missing keys from the server's budget in any place", () => {
    const text = `{ mcp: { servers: { x: { command: "a", budget: { tools: { a: { bytes: 7 }, b: {} } } } } },
      agents: { defaults: { mcp: { servers: { x: { budget: { blocks: 9 } } } } } } }`
    assert.deepStrictEqual(serverOf(decode(text)).toolBudgets, [
      { tools: "a", budget: { bytes: 7, blocks: 9 } },
      { tools: "b", budget: { bytes: RESULT_MAX_BYTES, blocks: 9 } }
    ])
  })

  it("refuses wrong keys and values in a tool's budget", () => {
    const entry = `{ command: "a", budget: { tools: { a: { bites: 1 }, b: 3, c: { blocks: 0 } } } }`
    assert.deepStrictEqual(entryErrors(entry), [
      'x.budget.tools.a.bites: unknown key, did you mean "bytes"?',
      "x.budget.tools.b: must be an object, is a number",
      "x.budget.tools.c.blocks: must be a positive number, is 0"
    ])
    assert.deepStrictEqual(entryErrors(`{ command: "a", budget: { tools: { " ": {} } } }`), [
      'x.budget.tools[" "]: the name or pattern of a tool must not be empty'
    ])
  })

  it("refuses a value of the wrong type for every known key", () => {
    for (const key of SERVER_KEY_NAMES) {
      const errors = entryErrors(`{ ${key}: [[]] }`).filter((line) => line.startsWith(`x.${key}`))
      assert.lengthOf(errors, 1, key)
    }
  })

  it("has errors that say what a value must be, and what it is", () => {
    const entry = `{ command: "a", enabled: "yes", timeout: "5s", toolTimeout: 0, maxRestarts: -1, idleTtlMs: -1.5, args: "--flag", tools: ["*"], budget: { bytes: 0 }, lazy: 1, cwd: "", toolPrefix: null }`
    assert.deepStrictEqual(entryErrors(entry).toSorted(), [
      "x.args: must be a list of strings, is a string",
      "x.budget.bytes: must be a positive number, is 0",
      "x.cwd: must be a string that is not empty, is empty",
      'x.enabled: must be true or false, is "yes"',
      "x.idleTtlMs: must be a number of milliseconds, or 0 for never, is -1.5",
      "x.lazy: must be true or false, is 1",
      "x.maxRestarts: must be 0 or a positive number, is -1",
      'x.timeout: must be a positive number of milliseconds, is "5s"',
      "x.toolPrefix: must be a string that is not empty, is null",
      "x.toolTimeout: must be a positive number of milliseconds, is 0",
      "x.tools: must be an object, is a list"
    ])
  })

  it("refuses a time that is longer than a timer can wait", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", timeout: 2147483648 }`), [
      "x.timeout: must be at most 2147483647, is 2147483648"
    ])
    assert.strictEqual(server(`{ command: "a", timeout: 2147483647 }`).timeout, 2_147_483_647)
  })

  it("refuses a number that cannot be represented exactly", () => {
    const error = "is a number that cannot be represented exactly: put it in quotes"
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { ID: 12345678901234567890, N: NaN } }`), [
      `x.env.ID: ${error}`,
      `x.env.N: ${error}`
    ])
  })

  it("refuses an unknown key and names the nearest one", () => {
    assert.deepStrictEqual(entryErrors(`{ comand: "node", zzzzzzzz: 1, tools: { exlude: [] } }`), [
      'x.comand: unknown key, did you mean "command"?',
      "x.zzzzzzzz: unknown key",
      'x.tools.exlude: unknown key, did you mean "exclude"?'
    ])
  })

  it("refuses an empty include, and accepts an empty exclude", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", tools: { include: [] } }`), [
      "x.tools.include: must not be empty: leave it out for all tools, or set enabled: false for none"
    ])
    assert.deepStrictEqual(server(`{ command: "a", tools: { exclude: [] } }`).tools, { include: ["*"], exclude: [] })
  })

  it("may list tools that need approval", () => {
    assert.deepStrictEqual(server(`{ command: "a", tools: { ask: ["\${V}_*"] } }`, { V: "rm" }).tools, {
      include: ["*"],
      exclude: [],
      ask: ["rm_*"]
    })
    const approved = server(`{ command: "a", tools: { ask: ["rm"], approvers: ["ada", "role:lead"] } }`)
    assert.deepStrictEqual(approved.tools.approvers, ["ada", "role:lead"])
    assert.deepStrictEqual(entryErrors(`{ command: "a", tools: { ask: ["rm"], approvers: [] } }`), [
      "x.tools.approvers: is empty, so that nobody could approve: leave it out, or name somebody"
    ])
    assert.deepStrictEqual(entryErrors(`{ command: "a", tools: { asks: ["a"], confirm: ["b"], ask: "c" } }`), [
      'x.tools.asks: unknown key, did you mean "ask"?',
      "x.tools.confirm: unknown key",
      "x.tools.ask: must be a list of names or patterns, is a string"
    ])
  })

  it("must be an object", () => {
    assert.deepStrictEqual(entryErrors("true"), ["x: must be an object, is true"])
    assert.deepStrictEqual(entryErrors("null"), ["x: must be an object, is null"])
  })
})

describe("aliases of keys", () => {
  it("from other programs mean the same", () => {
    const entry = `{
      type: "stdio", command: "a", connectionTimeoutMs: 7, requestTimeoutMs: 8, workingDirectory: "/w",
      toolFilter: { include: ["b"] }, disabled: true
    }`
    const read = server(entry)
    assert.deepInclude(read, { enabled: false, timeout: 7, toolTimeout: 8, tools: { include: ["b"], exclude: [] } })
    assert.strictEqual(stdioOf(read).cwd, "/w")
    assert.strictEqual(stdioOf(server(`{ command: "a", workingDir: "/v" }`)).cwd, "/v")
    assert.isTrue(server(`{ command: "a", disabled: false }`).enabled)
  })

  it("are errors beside the key that they stand for, in any order", () => {
    for (const key of Object.keys(SERVER_KEYS) as ReadonlyArray<ServerKey>) {
      const aliases = aliasesOf(key)
      for (const alias of aliases) {
        const same = `means the same as "${key}", which is also given: keep one`
        assert.include(entryErrors(`{ ${key}: 1, ${alias}: 1 }`), `x.${alias}: ${same}`)
        assert.include(entryErrors(`{ ${alias}: 1, ${key}: 1 }`), `x.${key}: ${same.replace(key, alias)}`)
      }
    }
    assert.include(
      entryErrors(`{ workingDir: "/a", workingDirectory: "/b" }`),
      'x.workingDirectory: means the same as "workingDir", which is also given: keep one'
    )
  })
})

describe("keys of other programs", () => {
  const inOpenclaw = ["supportsParallelToolCalls", "codex", "description"]
  const elsewhere = ["autoApprove", "alwaysAllow", "icon", "gallery", "dev"]

  it("have a warning that they have no effect, in the files where they are known", () => {
    for (const key of inOpenclaw) {
      assert.deepStrictEqual(entryWarnings(`{ command: "a", ${key}: 1 }`), [`x.${key}: has no effect here`])
    }
    for (const key of [...inOpenclaw, ...elsewhere]) {
      for (const home of ["mcpServers", "servers"]) {
        assert.deepStrictEqual(warningsOf(`{ ${home}: { x: { command: "a", ${key}: 1 } } }`), [
          `openclaw.json:1: ${home}.x.${key}: has no effect here`
        ])
      }
    }
    for (const key of elsewhere) {
      assert.match(entryErrors(`{ command: "a", ${key}: 1 }`).join(), /^x\.\w+: unknown key/)
    }
  })

  it("are refused where ignoring them would mislead", () => {
    for (const key of ["oauth", "sslVerify", "clientCert", "clientKey", "envFile"]) {
      assert.match(entryErrors(`{ url: "https://a.example", ${key}: 1 }`).join(), /^x\.\w+: is not supported: /)
      assert.match(errorsOf(`{ mcpServers: { x: { command: "a", ${key}: 1 } } }`).join(), /is not supported: /)
    }
  })
})

describe("names of servers", () => {
  it("must not be empty, too long, reserved or with control characters", () => {
    for (const name of [
      "",
      "  ",
      "x".repeat(65),
      "a\nb",
      "a\u202eb",
      "a\u001bb",
      "__proto__",
      "constructor",
      "prototype"
    ]) {
      assert.lengthOf(nameErrors(name), 1, JSON.stringify(name))
    }
    for (const name of ["x".repeat(64), "my server", "ä.b/c", "toString", "1"])
      assert.lengthOf(nameErrors(name), 0, name)
  })

  it("that are reserved do not change any object", () => {
    errorsOf(`{ mcpServers: { "__proto__": { command: "a", polluted: 1 } } }`)
    assert.notProperty({}, "command")
  })
})

describe("a key with a few allowed values", () => {
  for (const value of ["true", "3", "null", "{}", '""']) {
    it(`names them in the error, also for another type: ${value}`, () => {
      const [error, ...more] = entryErrors(`{ command: "a", pin: ${value} }`)
      assert.match(error ?? "", /^x\.pin: must be one of "off", "warn", "block", is /)
      assert.isEmpty(more)
    })
  }

  it("refuses other values of a variable", () => {
    const given = (key: string) => `{ command: "a", ${key}: "\${W}" }`
    assert.strictEqual(server(given("pin"), { W: "block" }).pin, "block")
    assert.strictEqual(server(given("protocol"), { W: "2025-06-18" }).protocol, "2025-06-18")
    for (const key of ["pin", "protocol", "contentMode"]) {
      assert.match(entryErrors(given(key), { W: "none of them" }).join(), /: must be one of "[^"]+", .*, is "\$\{W\}"$/)
    }
  })

  it("names them in the error, whichever key it is", () => {
    const keys = `contentMode: 1, protocol: 2, transport: 3, url: "https://a.example",
      auth: { type: "oauth", grant: 4, tokenEndpointAuthMethod: 5, algorithm: 6 }`
    const errors = errorsOf(`{ mcpServers: { x: { ${keys} } } }`)
    assert.lengthOf(errors, 6)
    for (const error of errors) assert.match(error, /: must be (?:one of )?"[^"]+", .*, is \d$/)
  })

  it("takes its value from a variable", () => {
    assert.strictEqual(server(`{ command: "a", pin: "\${P}" }`, { P: "block" }).pin, "block")
  })

  it('names its person with share: "person" only, in references that are read then, and never in the name of a variable', () => {
    const text = "{secret://vault/kv/{person}/token}"
    assert.deepStrictEqual(entryErrors(`{ command: "a", share: "person", env: { T: "${text}" } }`), [])
    assert.include(entryErrors(`{ command: "a", env: { T: "${text}" } }`).join(), "cannot be read")
    assert.include(
      entryErrors(`{ command: "a", share: "person", env: { T: "secret://env/T_{person}" } }`).join(),
      "a secret://env reference cannot hold {person}"
    )
  })

  it("with several issuers only {person.id} tells persons apart", () => {
    const config = (placeholder: string, issuers: number) =>
      errorsOf(`{ mcp: {
        servers: { x: { command: "a", share: "person", args: ["${placeholder}"] } },
        clients: { issuers: [${Array.from({ length: issuers }, (_, i) => `{ issuer: "https://i${i}.example" }`).join()}] }
      } }`)
    assert.deepStrictEqual(config("{person}", 1), [])
    assert.deepStrictEqual(config("{person.id}", 2), [])
    for (const placeholder of ["{person}", "{person.subject}"]) {
      assert.include(config(placeholder, 2).join(), "two persons could be one there")
    }
  })
})
