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

describe("a package runner in a sandbox without network", () => {
  it("gets a hint with cause and remedy when it exits, before its last output", () => {
    assert.strictEqual(
      said("npx -y some-server"),
      "MCP server 'fs' exited with code 1; 'npx' fetches a package that is not installed, and its sandbox has no network: " +
        'install the package and start its own program, or allow "network": true in "sandbox"; its last words: EAI_AGAIN'
    )
  })

  it("gets the same hint after a timeout", () => {
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
    it(`is recognized in '${line}'`, () => assert.include(said(line), `${name} fetches`))
  }

  for (const line of ["node server.js", "npm start", "bun server.ts", "npm", "toString", "my-npx x"]) {
    it(`is not recognized in '${line}'`, () => assert.strictEqual(said(line), exited.message))
  }
})

describe("a slow server of a session", () => {
  it("gets no hint about settings that a session does not have", () => {
    const launch = { kind: "stdio" as const, command: "node", args: [], env: {}, cwd: undefined }
    const words = forSession(withFetchingHint(serverConfig("fs", { launch, session: "s" }), late)).message
    assert.include(words, "if it is only slow, a new session may find it faster")
    assert.notInclude(words, "raise")
  })
})

describe("a package runner on a host with network settings", () => {
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

  it("names the settings in a timeout", () => {
    const said = words(PROXY)
    assert.include(said, "'npx' fetches a package, with this machine's HTTPS_PROXY, NODE_EXTRA_CA_CERTS")
    assert.include(said, 'raise "timeout" if it is only slow')
    assert.notInclude(said, "proxy.example")
  })

  it("names the settings that are withheld because of credentials, without their values", () => {
    const said = words(SECRET)
    assert.include(said, `is not given this machine's HTTPS_PROXY, which holds credentials: set it in the "env"`)
    assert.notInclude(said, "hunter2")
    assert.notInclude(words(SECRET, {}, { HTTPS_PROXY: "secret://env/HTTPS_PROXY" }), "not given")
  })

  it("gets no hint about server settings in a session", () => {
    for (const host of [PROXY, SECRET]) {
      const said = words(host, { session: "editor" })
      assert.include(said, "'npx' fetches a package")
      assert.include(said, "a new session may find it faster")
      assert.notInclude(said, '"timeout"')
    }
  })

  it("gets no hint without such settings, or when it exited", () => {
    assert.strictEqual(words({}), late.message)
    assert.strictEqual(words(PROXY, {}, {}, exited), exited.message)
  })
})

describe("the hint about package runners", () => {
  it("is not added with network access or without a sandbox", () => {
    assert.strictEqual(said("npx x", { network: true }), exited.message)
    assert.strictEqual(said("npx x", false), exited.message)
  })

  it("is not added to a failed handshake", () => {
    const error = new HandshakeFailed({ server: "fs", detail: "no", stderr: "" })
    assert.strictEqual(said("npx x", true, error), error.message)
  })

  it("is not added for a server over HTTP", () => {
    const launch = { kind: "http" as const, url: "https://npx.example/", headers: {} }
    assert.strictEqual(withFetchingHint(serverConfig("fs", { launch }), late), late)
  })
})
