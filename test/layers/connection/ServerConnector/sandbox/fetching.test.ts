import { assert, describe, it } from "@effect/vitest"
import { withFetchingHint } from "../../../../../src/layers/connection/ServerConnector/sandbox/fetching.ts"
import {
  ConnectTimeout,
  HandshakeFailed,
  ServerExited,
  type ConnectError
} from "../../../../../src/schemas/connection/ConnectError.ts"
import { forSession } from "../../../../../src/layers/connection/ServerConnector/rpc/sessionHints.ts"
import type { ServerConfig } from "../../../../../src/schemas/connection/ServerConfig.ts"
import type { SandboxOptions } from "../../../../../src/schemas/connection/Sandbox.ts"
import { serverConfig } from "../../../../support/serverConfig.ts"

const exited = new ServerExited({ server: "fs", code: 1, signal: null, stderr: "EAI_AGAIN" })
const late = new ConnectTimeout({ server: "fs", timeoutMs: 500, phase: "initialize", stderr: "" })

const said = (line: string, sandbox: boolean | SandboxOptions = true, error: ConnectError = exited): string => {
  const [command = "", ...args] = line.split(" ")
  const launch = { kind: "stdio" as const, command, args, env: {}, cwd: undefined }
  return withFetchingHint(serverConfig("fs", { launch, sandbox }), error).message
}

describe("a server that is fetched before it starts, in a sandbox without network", () => {
  it("says when it exits what it wanted and what to do, before its last words", () => {
    assert.strictEqual(
      said("npx -y some-server"),
      "MCP server 'fs' exited with code 1; 'npx' fetches a package that is not installed, and its sandbox has no network: " +
        'install the package and start its own program, or allow "network": true in "sandbox"; its last words: EAI_AGAIN'
    )
  })

  it("says the same when it was waited for in vain, instead of that it may be slow", () => {
    const words = said("npx -y some-server", true, late)
    assert.include(words, "was not ready within 500 ms (waiting for initialize); 'npx' fetches a package")
    assert.notInclude(words, "only slow")
  })

  for (const [line, name] of [
    ["/usr/bin/npx -y x", "'npx'"],
    ["uvx x", "'uvx'"],
    ["npm exec x", "'npm exec'"],
    ["npm --yes x server", "'npm x'"],
    ["pnpm dlx x", "'pnpm dlx'"],
    ["pipx run x", "'pipx run'"],
    ["uv run server.py", "'uv run'"]
  ] as const) {
    it(`is one that '${line}' starts`, () => assert.include(said(line), `${name} fetches`))
  }

  for (const line of ["node server.js", "npm start", "bun server.ts", "npm", "toString", "my-npx x"]) {
    it(`is not one that '${line}' starts`, () => assert.strictEqual(said(line), exited.message))
  }
})

describe("a server that somebody has brought along", () => {
  it("is not to be given a setting that nobody there can set", () => {
    const launch = { kind: "stdio" as const, command: "node", args: [], env: {}, cwd: undefined }
    const words = forSession(withFetchingHint(serverConfig("fs", { launch, session: "s" }), late)).message
    assert.include(words, "if it is only slow, a new session may find it faster")
    assert.notInclude(words, "raise")
  })
})

describe("a server that is fetched, on a machine with network settings of its own", () => {
  const words = (
    host: Record<string, string>,
    config: Partial<ServerConfig> = {},
    env = {},
    error: ConnectError = late
  ) => {
    const launch = { kind: "stdio" as const, command: "npx", args: ["-y", "x"], env, cwd: undefined }
    const given = serverConfig("fs", { launch, ...config })
    const hinted = withFetchingHint(given, error, host)
    return (given.session === undefined ? hinted : forSession(hinted)).message
  }
  const PROXY = { HTTPS_PROXY: "http://proxy.example:3128", NODE_EXTRA_CA_CERTS: "/etc/ca.pem" }
  const SECRET = { HTTPS_PROXY: "http://ada:hunter2@proxy.example:3128" }

  it("and is waited for in vain names them", () => {
    const said = words(PROXY)
    assert.include(said, "'npx' fetches a package, with this machine's HTTPS_PROXY, NODE_EXTRA_CA_CERTS")
    assert.include(said, 'raise "timeout" if it is only slow')
    assert.notInclude(said, "proxy.example")
  })

  it("says what it is not given, and where to give it, without the credentials", () => {
    const said = words(SECRET)
    assert.include(said, `is not given this machine's HTTPS_PROXY, which holds credentials: set it in the "env"`)
    assert.notInclude(said, "hunter2")
    assert.notInclude(words(SECRET, {}, { HTTPS_PROXY: "secret://env/HTTPS_PROXY" }), "not given")
  })

  it("tells who has brought it along of no setting that they have not", () => {
    for (const host of [PROXY, SECRET]) {
      const said = words(host, { session: "editor" })
      assert.include(said, "'npx' fetches a package")
      assert.include(said, "a new session may find it faster")
      assert.notInclude(said, '"timeout"')
    }
  })

  it("says nothing of them where there are none, or where it has said why it ended", () => {
    assert.strictEqual(words({}), late.message)
    assert.strictEqual(words(PROXY, {}, {}, exited), exited.message)
  })
})

describe("nothing is added", () => {
  it("where there is a network, or no sandbox", () => {
    assert.strictEqual(said("npx x", { network: true }), exited.message)
    assert.strictEqual(said("npx x", false), exited.message)
  })

  it("to an error of a server that was there", () => {
    const error = new HandshakeFailed({ server: "fs", detail: "no", stderr: "" })
    assert.strictEqual(said("npx x", true, error), error.message)
  })

  it("to a server that is reached over HTTP", () => {
    const launch = { kind: "http" as const, url: "https://npx.example/", headers: {} }
    assert.strictEqual(withFetchingHint(serverConfig("fs", { launch }), late), late)
  })
})
