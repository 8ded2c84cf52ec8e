import { assert, describe, it } from "@effect/vitest"
import {
  fingerprint,
  type HttpLaunch,
  type ServerConfig,
  serverConfig,
  type StdioLaunch
} from "../../../src/schemas/connection/ServerConfig.ts"

const stdio: StdioLaunch = { kind: "stdio", command: "node", args: ["a", "b"], env: { A: "1", B: "2" }, cwd: undefined }
const http: HttpLaunch = {
  kind: "http",
  url: "https://x.test/mcp",
  headers: { Authorization: "Bearer t", "X-Team": "1" }
}

const config = serverConfig("fs", stdio)
const of = (change: Partial<ServerConfig>) => fingerprint({ ...config, ...change })

describe("fingerprint", () => {
  it("differs for everything that a connection cannot share", () => {
    const changes: ReadonlyArray<Partial<ServerConfig>> = [
      {},
      { name: "other" },
      { sandbox: true },
      { sandbox: { network: true } },
      { sandbox: { filesystem: { read: ["/a"] } } },
      { sandbox: { filesystem: { write: ["/a"] } } },
      { sandbox: { filesystem: { read: ["/a", "/b"] } } },
      { protocol: "2025-11-25" },
      { timeout: 2000 },
      { restartOnCrash: false },
      { maxRestarts: 6 },
      { lazy: true },
      { idleTtlMs: 5 },
      { resources: false },
      { allowPrivate: true },
      { roots: false },
      { sampling: true },
      { elicitation: false },
      { content: { mode: "delimit", withhold: ["pattern"] } },
      { launch: { ...stdio, command: "deno" } },
      { launch: { ...stdio, args: ["b", "a"] } },
      { launch: { ...stdio, args: ["a b"] } },
      { launch: { ...stdio, env: { A: "1" } } },
      { launch: { ...stdio, env: { A: "2", B: "1" } } },
      { launch: { ...stdio, env: { a: "1", B: "2" } } },
      { launch: { ...stdio, cwd: "/" } },
      { launch: http },
      { launch: { ...http, kind: "sse" } },
      { launch: { ...http, url: "https://y.test/mcp" } },
      { launch: { ...http, headers: {} } },
      { launch: { ...http, headers: { ...http.headers, Authorization: "Bearer u" } } }
    ]
    assert.strictEqual(new Set(changes.map(of)).size, changes.length)
  })

  it("is the same for any spelling of a sandbox", () => {
    const listed = (...read: ReadonlyArray<string>) => of({ sandbox: { filesystem: { read }, network: false } })
    assert.strictEqual(of({ sandbox: true }), of({ sandbox: { filesystem: { read: [], write: [] }, network: false } }))
    assert.strictEqual(of({ sandbox: true }), of({ sandbox: {} }))
    assert.strictEqual(listed("/a", "/b"), listed("/b", "/a"))
  })

  it("is the same for settings of one agent", () => {
    const changes: ReadonlyArray<Partial<ServerConfig>> = [
      { enabled: false },
      { toolTimeout: 5 },
      { toolPrefix: "x" },
      { content: { mode: "encode", withhold: [] } },
      { blockSecretArguments: false },
      { share: false },
      { tools: { include: ["a"], exclude: ["b"] } },
      { budget: { bytes: 1, blocks: 1 } },
      { toolBudgets: [{ tools: "*", budget: { bytes: 1, blocks: 1 } }] },
      { resourceFilter: ["file:*"] },
      { resourceRefreshMs: 1 }
    ]
    for (const change of changes) assert.strictEqual(of(change), of({}))
  })

  it("is the same for any order of env and headers, and any case of header names", () => {
    assert.strictEqual(of({ launch: { ...stdio, env: { B: "2", A: "1" } } }), of({}))
    assert.strictEqual(
      of({ launch: { ...http, headers: { "x-team": "1", authorization: "Bearer t" } } }),
      of({ launch: http })
    )
  })

  it("is a hash that shows no value", () => {
    assert.match(of({ launch: http }), /^[0-9a-f]{64}$/)
  })
})
