import { assert, describe, it } from "@effect/vitest"
import { DOOR_NAMES_MAX } from "../../../src/schemas/defaults/Listener.ts"
import { DEFAULT_SERVE } from "../../../src/schemas/listener/ServeConfig.ts"
import { decode, errorsOf, warningsOf } from "./decoding.ts"

const X = `servers: { x: { command: "a" } }`
const AGENTS = `agents: { list: [{ id: "a" }, { id: "b" }] }`
const inMcp = (serve: string) => `{ mcp: { serve: ${serve}, ${X} }, ${AGENTS} }`

describe('the section "serve" of the configuration', () => {
  it("may be left out or empty", () => {
    assert.deepStrictEqual(decode(`{ mcp: { ${X} } }`).serve, DEFAULT_SERVE)
    assert.deepStrictEqual(decode(inMcp("{}")).serve, DEFAULT_SERVE)
    assert.deepInclude(DEFAULT_SERVE, {
      structuredContent: "trusted",
      toolIndex: false,
      pageSize: 250,
      clients: [],
      isolate: false
    })
  })

  it("accepts every key, under mcp and beside servers", () => {
    const serve = {
      clients: [
        { name: "one", token: "secret://env/ONE", agent: "a" },
        { name: "two", token: "secret://env/TWO" }
      ],
      structuredContent: "always",
      toolIndex: true,
      pageSize: 10,
      host: "0.0.0.0",
      hosts: ["mcp.example.com", "10.0.0.1:80"],
      origins: ["https://app.example.com"],
      isolate: "session",
      maxOwnServers: 3,
      maxOwnServersPerClient: 2
    }
    const text = JSON.stringify(serve)
    assert.deepStrictEqual(decode(inMcp(text)).serve, serve as never)
    assert.deepStrictEqual(decode(`{ serve: ${text}, ${X}, ${AGENTS} }`).serve, serve as never)
  })

  it("has the fault of a client whose token refers to an unset variable", () => {
    const { faults, serve } = decode(inMcp(`{ clients: [{ name: "one", token: "\${NONE}" }] }`))
    assert.include(serve?.clients[0]?.fault?.message, "environment variable NONE is not set")
    assert.strictEqual(serve?.clients[0]?.fault?.path, "mcp.serve.clients[0].token")
    assert.lengthOf(faults!, 1)
  })

  it("puts variables into tokens, and warns of plaintext tokens", () => {
    const config = inMcp(`{ clients: [{ name: "one", token: "\${TOKEN}" }] }`)
    assert.strictEqual(
      decode(config, { TOKEN: "comes-from-a-variable" }).serve?.clients[0]?.token,
      "comes-from-a-variable"
    )
    assert.lengthOf(errorsOf(config), 1)
    const [warning] = warningsOf(inMcp(`{ clients: [{ name: "one", token: "plain-text" }] }`))
    assert.include(warning, "mcp.serve.clients[0].token: is a plaintext credential")
    assert.notInclude(warning, "plain-text")
  })

  it("has the fault of a client whose token cannot be used, or is that of another one, as far as the text tells", () => {
    const told = (...tokens: ReadonlyArray<string>) => {
      const clients = tokens.map((token, i) => `{ name: "c${i}", token: "${token}" }`).join()
      const { faults = [], serve } = decode(inMcp(`{ clients: [${clients}] }`), { SHORT: "abc" })
      assert.lengthOf(
        serve!.clients.filter(({ fault }) => fault !== undefined),
        faults.length
      )
      return faults.map(({ message, path }) => `${path.replace("mcp.serve.clients", "")}: ${message}`)
    }
    const GOOD = "a-token-of-its-own"
    const SHORT = "is no token that can be used: it needs at least 16 characters of ASCII without blanks"
    assert.deepStrictEqual(told("short", GOOD, "${SHORT}", "with some blanks in it"), [
      `[0].token: ${SHORT}`,
      `[2].token: ${SHORT}`,
      `[3].token: ${SHORT}`
    ])
    const TWICE = "is the token of another client, too: give each its own"
    assert.deepStrictEqual(told(GOOD, "secret://env/A", GOOD, "secret://env/A"), [
      `[2].token: ${TWICE}`,
      `[3].token: ${TWICE}`
    ])
    assert.isEmpty(told(GOOD, "secret://env/A", "secret://env/B"))
  })

  it("refuses unknown keys and invalid values", () => {
    assert.deepStrictEqual(
      errorsOf(
        inMcp(
          `{ client: [], pageSize: 0, isolate: true, maxOwnServers: 0, toolIndex: "yes", structuredContent: "some", clients: [
            7, {}, { name: "one", token: "secret://env/ONE", agent: "c" }, { name: "one", token: "secret://env/TWO", key: 1 }
          ] }`
        )
      ).map((line) => line.replace(/^openclaw.json:\d+: mcp.serve./, "")),
      [
        'client: unknown key, did you mean "clients"?',
        'structuredContent: must be one of "trusted", "always", "never", is "some"',
        'toolIndex: must be true or false, is "yes"',
        "pageSize: must be a number of items, is 0",
        'isolate: must be one of false, "session", "client", "person", is true',
        "maxOwnServers: must be a number of servers, is 0",
        "clients[0]: must be an object, is a number",
        "clients[1].name: is missing",
        "clients[1].token: is missing",
        "clients[3].key: unknown key",
        "clients[2].agent: is not an agent of this configuration; there are: a, b",
        "clients[3].name: is the name of another client, too"
      ]
    )
    assert.lengthOf(errorsOf(inMcp(`{ clients: ${JSON.stringify(Array.from({ length: 65 }, () => ({})))} }`)), 1)
    assert.lengthOf(errorsOf(inMcp(`{ clients: {} }`)), 1)
  })

  it("refuses a host, hosts and origins that are not well formed, and says what is needed", () => {
    const names = JSON.stringify(Array.from({ length: DOOR_NAMES_MAX + 1 }, (_, i) => `n${i}`))
    assert.deepStrictEqual(
      [
        ...errorsOf(inMcp(`{ host: "localhost", hosts: ["a.com", "*", 7], origins: ["*", "https://a.com/"] }`)),
        ...errorsOf(inMcp(`{ host: 7, hosts: "a.com", origins: {} }`)),
        ...errorsOf(inMcp(`{ hosts: ${names} }`))
      ].map((line) => line.replace(/^openclaw.json:\d+: mcp.serve./, "")),
      [
        'host: must be an address of this machine, such as "127.0.0.1", "192.168.1.2" or "::1"; "0.0.0.0" and "::" are all of them, is "localhost"',
        'hosts[1]: must be a name as in a URL, such as "mcp.example.com" or "mcp.example.com:8443", is "*"',
        "hosts[2]: must be a string that is not empty, is a number",
        'origins[0]: must name one origin, such as "https://app.example.com": with "*" any page that somebody opens could ask here, is "*"',
        'origins[1]: must be an origin and nothing else: https://a.com, is "https://a.com/"',
        "host: must be a string that is not empty, is a number",
        "hosts: must be a list of names, is a string",
        "origins: must be a list of origins, is an object",
        `hosts: has more than ${DOOR_NAMES_MAX} names`
      ]
    )
  })

  it("takes the address, and its names, from the environment", () => {
    const given = inMcp(`{ host: "\${HOST:-0.0.0.0}", hosts: ["a.com", "\${NAME}"] }`)
    assert.deepInclude(decode(given, { NAME: "b.com" }).serve, { host: "0.0.0.0", hosts: ["a.com", "b.com"] })
    assert.deepStrictEqual(
      errorsOf(given, { HOST: "localhost" }).map((line) => line.replace(/(?:is not set|must be).*/, "…")),
      ["openclaw.json:1: mcp.serve.hosts[1]: environment variable NAME …", "openclaw.json:1: mcp.serve.host: …"]
    )
  })

  it("may be given in one place only", () => {
    assert.deepStrictEqual(errorsOf(`{ serve: {}, mcp: { serve: {} }, ${X} }`), [
      'openclaw.json:1: serve: means the same as "mcp.serve", which is also given: keep one'
    ])
    assert.deepStrictEqual(errorsOf(`{ agents: { defaults: { mcp: { serve: {}, ${X} } } } }`), [
      'openclaw.json:1: agents.defaults.mcp.serve: belongs in the top-level "mcp" only'
    ])
    assert.deepStrictEqual(warningsOf(`{ serve: { clients: [] }, mcp: { ${X} } }`), [
      'openclaw.json:1: serve: has no effect here: it belongs under "mcp.serve"'
    ])
  })
})
