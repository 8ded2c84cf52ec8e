/** Facts with which nothing is wrong, and what `doctor` concludes from others. */
import { assert } from "@effect/vitest"
import { diagnose } from "../../src/schemas/doctor/Diagnose.ts"
import type { AddressFacts, Facts, ServerFacts } from "../../src/schemas/doctor/Facts.ts"
import { type ServerConfig, serverConfig } from "../../src/schemas/connection/ServerConfig.ts"
import type { ServerStatus } from "../../src/schemas/connection/ServerState.ts"

export const READY: ServerStatus = {
  state: "Ready",
  transport: "stdio",
  protocolVersion: "2025-11-25",
  tools: 1,
  resources: 0,
  prompts: 0,
  pid: 1,
  connectMs: 100,
  restarts: 0,
  lastError: null
}
export const down = (lastError: string): ServerStatus => ({ ...READY, state: "Failed", connectMs: null, lastError })

export const stdio = (name: string, given: Partial<ServerConfig> = {}): ServerConfig =>
  serverConfig(name, { kind: "stdio", command: "npx", args: ["-y", "x@1.0.0"], env: {}, cwd: undefined }, given)
export const http = (name: string): ServerConfig =>
  serverConfig(name, { kind: "http", url: "https://x.example/mcp", headers: {} })

export const files: ServerFacts = {
  config: stdio("files"),
  program: { name: "npx", found: "/usr/bin/npx" },
  runtime: { name: "node", version: "24.1.0", needs: "20.0" },
  fetched: { runner: "npx", name: "x", pinned: true, cached: true, version: "1.0.0" },
  status: READY,
  log: { lines: 3, overMs: 60_000, last: [] }
}
export const answers: AddressFacts = { origin: "https://x.example", code: undefined, status: 405, clockOffMs: 400 }
export const tickets: ServerFacts = {
  config: http("tickets"),
  address: answers,
  login: { _tag: "Stored", expiresAt: 2_000, renewable: false },
  status: { ...READY, transport: "http" }
}

export const NOW = 1_000
export const facts: Facts = {
  now: NOW,
  platform: "linux",
  file: "/home/me/openclaw.json",
  faults: [],
  warnings: [],
  servers: [files, tickets],
  tools: [{ name: "mcp_files_read", tool: "read", server: "files", parameters: { type: "object", properties: {} } }],
  secrets: [],
  proxies: [],
  running: false,
  data: { path: "/d", exists: true, othersOwn: false, others: [], writable: true, freeBytes: 1e10, open: [] },
  left: { gateways: [], locks: [], temporary: [], processes: [] },
  port: { host: "127.0.0.1", port: 7730, code: undefined }
}

/** The findings with other facts. */
export const found = (given: Partial<Facts>) => diagnose({ ...facts, ...given })
export const ofFiles = (given: Partial<ServerFacts>, more: Partial<Facts> = {}) =>
  found({ servers: [{ ...files, ...given }, tickets], ...more })
export const ofTickets = (given: Partial<ServerFacts>, more: Partial<Facts> = {}) =>
  found({ servers: [files, { ...tickets, ...given }], ...more })

export const only = (findings: ReturnType<typeof diagnose>) => {
  assert.lengthOf(findings, 1, JSON.stringify(findings))
  return findings[0]!
}
