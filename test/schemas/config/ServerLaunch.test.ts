import { assert, describe, it } from "@effect/vitest"
import { decode, entryErrors, entryWarnings, errorsOf, httpOf, serverOf, stdioOf, withServer } from "./decoding.ts"

type Env = Readonly<Record<string, string>>
const launch = (entry: string, env: Env = {}) => serverOf(decode(withServer(entry), env)).launch
const stdio = (entry: string, env: Env = {}) => stdioOf(serverOf(decode(withServer(entry), env)))
const http = (entry: string, env: Env = {}) => httpOf(serverOf(decode(withServer(entry), env)))
/** The error for a variable that is not set. */
const missing = (path: string, name: string) =>
  `x.${path}: environment variable ${name} is not set: set it, or give a default with \${${name}:-value}`
/** A server that is switched off, and agents that may switch it on. */
const switchedOff = (agents: string) =>
  `{ mcp: { servers: { x: { enabled: false, command: "\${A}" } } }, agents: { list: [${agents}] } }`
const cwdOf = (text: string) => stdio(`{ command: "a", cwd: "${text}" }`).cwd
const commandOf = (entry: string) => stdio(entry).command

describe("the transport of a server", () => {
  it("is http with a url only, and stdio otherwise", () => {
    assert.strictEqual(launch(`{ url: "https://a.example/mcp" }`).kind, "http")
    assert.strictEqual(launch(`{ command: "a" }`).kind, "stdio")
  })

  it("may be given, also by the names of other programs", () => {
    const kinds = ["sse", "http", "streamable-http", "streamableHttp", "auto"].map(
      (name) => launch(`{ url: "https://a.example", transport: "${name}" }`).kind
    )
    assert.deepStrictEqual(kinds, ["sse", "http", "http", "http", "http"])
    assert.strictEqual(launch(`{ command: "a", transport: "auto" }`).kind, "stdio")
    assert.strictEqual(launch(`{ command: "a", type: "stdio" }`).kind, "stdio")
  })

  it("must be given with both command and url", () => {
    const both = `command: "a", url: "https://a.example"`
    assert.deepStrictEqual(entryErrors(`{ ${both} }`), [
      'x: has both "command" and "url": keep one, or choose with "transport"'
    ])
    assert.strictEqual(launch(`{ ${both}, transport: "sse" }`).kind, "sse")
    assert.deepStrictEqual(entryWarnings(`{ ${both}, transport: "sse", env: { A: 1 } }`), [
      'x.command: "command" has no effect with transport "sse"',
      'x.env: "env" has no effect with transport "sse"'
    ])
    assert.deepStrictEqual(entryWarnings(`{ ${both}, transport: "stdio", headers: { A: 1 } }`), [
      'x.url: "url" has no effect with transport "stdio"',
      'x.headers: "headers" has no effect with transport "stdio"'
    ])
  })

  it("is refused when unknown, and the error lists the known ones", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", transport: "tcp" }`), [
      'x.transport: must be "stdio", "sse", "http" ("streamable-http" means the same) or "auto", is "tcp"'
    ])
  })

  it("when unknown does not hide other errors", () => {
    assert.deepStrictEqual(entryErrors(`{ transport: "tcp", url: "a.example" }`), [
      'x.transport: must be "stdio", "sse", "http" ("streamable-http" means the same) or "auto", is "tcp"',
      "x.url: must be an http:// or https:// address"
    ])
    assert.lengthOf(entryErrors(`{ command: "\${A}", url: "a.example" }`), 2)
  })

  it("has a protocol version, and the error for an unknown one lists all", () => {
    assert.match(
      entryErrors(`{ command: "a", protocol: "2020-01-01" }`).join(),
      /one of "auto", "2024-11-05".*is "2020/
    )
  })

  it("needs a command or a url", () => {
    assert.deepStrictEqual(entryErrors(`{}`), ['x: needs a "command" (stdio) or a "url" (http)'])
    assert.deepStrictEqual(entryErrors(`{ transport: "stdio" }`), ['x: transport "stdio" needs a "command"'])
    assert.deepStrictEqual(entryErrors(`{ transport: "http" }`), ['x: transport "http" needs a "url"'])
    assert.deepStrictEqual(entryErrors(`{ command: "\${E}" }`, { E: " " }), [
      'x.command: needs a "command" (stdio) or a "url" (http)'
    ])
  })

  it("has no error for a missing key when the key is there but wrong", () => {
    assert.deepStrictEqual(entryErrors(`{ command: 5 }`), [
      "x.command: must be a string that is not empty, is a number"
    ])
    assert.deepStrictEqual(entryErrors(`{ type: "sse", uri: "https://a.example" }`), [
      'x.uri: unknown key, did you mean "url"?'
    ])
  })
})

describe("the url of a server", () => {
  it("must be http or https without credentials, and an error does not show it", () => {
    for (const url of ["a.example", "ftp://a.example", "file:///etc/passwd", "javascript:1", "http://", "http://[x"]) {
      assert.deepStrictEqual(entryErrors(`{ url: "${url}" }`), ["x.url: must be an http:// or https:// address"])
    }
    for (const user of ["ada:pw", "ada", ":pw"]) {
      assert.deepStrictEqual(entryErrors(`{ url: "https://${user}@a.example" }`), [
        "x.url: must not contain a user name or a password: put them in headers"
      ])
    }
  })

  it("may contain or be a secret reference", () => {
    for (const url of ["https://a.example/?k=secret://env/K", "secret://vault/kv/mcp/url"]) {
      assert.strictEqual(http(`{ url: "${url}" }`).url, url)
    }
  })
})

describe("env and headers of a server", () => {
  it("refuse invalid names", () => {
    const env = `{ "A=B": 1, "": 1, "__proto__": "x" }`
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: ${env} }`), [
      'x.env["A=B"]: is not a valid name of an environment variable',
      'x.env[""]: is not a valid name of an environment variable',
      "x.env.__proto__: is not a valid name of an environment variable"
    ])
    assert.deepStrictEqual(entryErrors(`{ url: "https://a.example", headers: { "a b": 1, "": 1, "é": 1 } }`), [
      'x.headers["a b"]: is not a valid header name',
      'x.headers[""]: is not a valid header name',
      'x.headers["é"]: is not a valid header name'
    ])
  })

  it("refuse headers that differ in case only", () => {
    assert.deepStrictEqual(entryErrors(`{ url: "https://a.example", headers: { "X-A": 1, "x-a": 2 } }`), [
      "x.headers.x-a: differs from another name only in case: keep one"
    ])
  })

  it("never show their values in an error", () => {
    const canary = "hunter2canary"
    const entries = [
      `{ command: "a", env: { A: { v: "${canary}" }, B: ["${canary}"], C: "${canary}\\u0000" } }`,
      `{ command: "a", env: { A: "${canary}\${", B: "\${${canary.toUpperCase()}_UNSET} ${canary}" } }`,
      `{ url: "https://a.example", headers: { A: "${canary}\\nX: y", B: "${canary}☃", C: null } }`,
      `{ url: "https://u:${canary}@a.example" }`,
      `{ url: "ftp://${canary}", headers: { A: "\${X:-${canary}\\r\\n}" } }`,
      `{ command: "a", args: ["${canary}\\u0000", "${canary}\${"] }`,
      `{ command: "secret://${canary}" }`
    ]
    for (const entry of entries) {
      const errors = entryErrors(entry)
      assert.isNotEmpty(errors, entry)
      assert.notInclude(errors.join("\n"), canary)
    }
  })

  it("refuse a value that a header cannot carry, also from a variable", () => {
    const error = "x.headers.A: contains a character that a header cannot carry, such as a line break"
    assert.deepStrictEqual(entryErrors(`{ url: "https://a.example", headers: { A: "\${V}" } }`, { V: "a\nb" }), [error])
    assert.strictEqual(http(`{ url: "https://a.example", headers: { A: "Grüße\\t!" } }`).headers["A"], "Grüße\t!")
  })

  it("refuse a NUL character, as all other keys do", () => {
    const entry = `{ command: "a\\0", args: ["\\0"], cwd: "\\0", env: { A: "\\0" } }`
    assert.deepStrictEqual(
      entryErrors(entry).toSorted(),
      ["args[0]", "command", "cwd", "env.A"].map((key) => `x.${key}: must not contain a NUL character`)
    )
  })
})

describe("interpolation in a server entry", () => {
  it("reaches every string, but no key", () => {
    const env = { V: "value", T: "stdio", P: "2025-06-18", D: "/data" }
    const entry = `{
      transport: "\${T}", command: "\${V}", args: ["a-\${V}", "\${NO:-b}"], cwd: "\${D}/x", env: { "\${V}": "<\${V}>" },
      toolPrefix: "\${V}", protocol: "\${P}", tools: { include: ["\${V}_*"], exclude: ["\${V}"] }
    }`
    const read = serverOf(decode(withServer(entry), env))
    assert.deepStrictEqual(read.launch, {
      kind: "stdio",
      command: "value",
      args: ["a-value", "b"],
      env: { "${V}": "<value>" },
      cwd: "/data/x"
    })
    assert.deepInclude(read, {
      toolPrefix: "value",
      protocol: "2025-06-18",
      tools: { include: ["value_*"], exclude: ["value"] }
    })
    const remote = `{ type: "sse", url: "https://\${V}/", headers: { A: "Bearer \${V}" } }`
    assert.deepStrictEqual(http(remote, env), { kind: "sse", url: "https://value/", headers: { A: "Bearer value" } })
  })

  it("names every unset variable with its place", () => {
    const errors = entryErrors(`{ command: "\${A}", args: ["x", "\${B}\${C}"], env: { KEY: "\${D}" } }`)
    assert.deepStrictEqual(
      errors.toSorted(),
      [missing("command", "A"), missing("args[1]", "B"), missing("args[1]", "C"), missing("env.KEY", "D")].toSorted()
    )
    assert.deepStrictEqual(entryErrors(`{ url: "\${U}" }`), [missing("url", "U")])
  })

  it("refuses a name that becomes empty", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", toolPrefix: "\${E}" }`, { E: "" }), [
      "x.toolPrefix: must not be empty"
    ])
  })

  it("may give the transport", () => {
    const message =
      'x.transport: must be "stdio", "sse", "http" ("streamable-http" means the same) or "auto", is "${T}"'
    assert.deepStrictEqual(entryErrors(`{ command: "a", transport: "\${T}" }`, { T: "tcp" }), [message])
    assert.notInclude(entryErrors(`{ command: "a", transport: "\${T}" }`).join("\n"), message)
  })

  it("refuses a ${ that is not a reference", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "a", env: { KEY: "\${input:key}" } }`), [
      "x.env.KEY: contains a ${ that is not a reference: write ${NAME} or ${NAME:-default}, or $${ for itself"
    ])
  })

  it("skips a server that no agent has enabled", () => {
    const entry = `{ enabled: false, command: "\${A}", url: "\${B}", transport: "http", headers: { C: "\${C" } }`
    assert.deepStrictEqual(entryErrors(entry), [])
    assert.deepInclude(launch(`{ enabled: false, transport: "\${T}", url: "https://a.example" }`), { kind: "http" })
    assert.deepStrictEqual(entryErrors(`{ enabled: false, command: "a", protocol: "\${P}" }`), [])
    assert.deepStrictEqual(entryErrors(`{ enabled: false, command: "a" , args: ["\${A}"] }`), [])
    assert.deepStrictEqual(errorsOf(switchedOff(`{ id: "a" }, { id: "b" }`)), [])
    assert.lengthOf(errorsOf(switchedOff(`{ id: "a" }, { id: "b", mcp: { servers: { x: { enabled: true } } } }`)), 1)
  })

  it("skips a value that every agent replaces", () => {
    const config = `{
      agents: { defaults: { mcp: { servers: { x: { command: "a", env: { K: "\${A}" } } } } },
                list: [{ id: "a", mcp: { servers: { x: { env: { K: "own" } } } } }] }
    }`
    assert.deepStrictEqual(errorsOf(config), [])
  })
})

describe("paths of a server", () => {
  it("start from the directory of the configuration file, and ~ is the home directory", () => {
    assert.deepStrictEqual(["..", "sub/dir", "/abs", "~", "~/x", "~x"].map(cwdOf), [
      "/etc",
      "/etc/gateway/sub/dir",
      "/abs",
      "/home/ada",
      "/home/ada/x",
      "/etc/gateway/~x"
    ])
  })

  it("of commands with a separator start from cwd or the configuration file, and others stay bare", () => {
    assert.strictEqual(commandOf(`{ command: "node" }`), "node")
    assert.strictEqual(commandOf(`{ command: "./bin/run" }`), "/etc/gateway/bin/run")
    assert.strictEqual(commandOf(`{ command: "bin/run", cwd: "../srv" }`), "/etc/srv/bin/run")
    assert.strictEqual(commandOf(`{ command: "/usr/bin/env" }`), "/usr/bin/env")
    assert.strictEqual(commandOf(`{ command: "~/bin/run", cwd: "/srv" }`), "/home/ada/bin/run")
  })

  it("in arguments are expanded only after a leading ~/", () => {
    assert.deepStrictEqual(stdio(`{ command: "a", args: ["~/docs", "~", "--dir=~/x", "a/~/b", "./c"] }`).args, [
      "/home/ada/docs",
      "~",
      "--dir=~/x",
      "a/~/b",
      "./c"
    ])
  })

  it("of command and cwd may not be secret", () => {
    assert.deepStrictEqual(entryErrors(`{ command: "secret://env/C", cwd: "secret://env/D" }`).toSorted(), [
      "x.command: cannot contain a secret:// reference",
      "x.cwd: cannot contain a secret:// reference"
    ])
  })

  it("with a space have a warning when they look like a command line", () => {
    assert.deepStrictEqual(entryWarnings(`{ command: "npx -y @scope/server" }`), [
      'x.command: contains a space: this is only the program, its arguments belong in "args"'
    ])
    assert.deepStrictEqual(entryWarnings(`{ command: "/opt/my tools/run" }`), [])
  })
})

describe("a url that will not be connected to", () => {
  const refused = (entry: string, env: Env = {}) => entryWarnings(entry, env)

  for (const [url, why] of [
    ["http://a.example/mcp", "a public address without https://: use https://"],
    ["https://10.0.0.1/mcp", 'a private address: "allowPrivate": true would allow it'],
    ["http://10.0.0.1/mcp", 'a private address: "allowPrivate": true would allow it'],
    ["https://nas.local/mcp", 'a name of the local network: "allowPrivate": true would allow it'],
    ["https://metadata.google.internal/", "an address where a cloud hands out credentials"]
  ] as const) {
    it(`has a warning: ${url}`, () => {
      assert.deepStrictEqual(refused(`{ url: "${url}" }`), [`x.url: will not be connected to, it leads to ${why}`])
    })
  }

  it("is checked after variables are put in", () => {
    assert.lengthOf(refused(`{ url: "http://\${H}/" }`, { H: "a.example" }), 1)
  })

  it("has no warning when it is on this machine, public, allowed, secret or disabled", () => {
    for (const entry of [
      `{ url: "http://localhost:1/mcp" }`,
      `{ url: "http://127.0.0.1:1/mcp" }`,
      `{ url: "https://a.example/mcp" }`,
      `{ url: "http://10.0.0.1/mcp", allowPrivate: true }`,
      `{ url: "secret://env/URL" }`,
      `{ url: "http://a.example", enabled: false }`
    ]) {
      assert.notMatch(refused(entry, { URL: "u", HOST: "h" }).join("\n"), /will not be connected/, entry)
    }
  })
})
