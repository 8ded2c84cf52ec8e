/** What a compiler refuses: each expectation fails the type check when it is not an error any more. */
import { assert, describe, it } from "@effect/vitest"
import type { MCPServerConfig } from "../../../src/index.ts"
import type { MCPHttpServerConfig, MCPStdioServerConfig } from "../../../src/index.ts"
import { type ServerKey, SERVER_KEY_NAMES } from "../../../src/schemas/config/ServerKeys.ts"

type Known = keyof MCPStdioServerConfig | keyof MCPHttpServerConfig
/** Every key of a configuration is one of the type. */
const missing: Exclude<ServerKey, Known> extends never ? true : false = true

// @ts-expect-error -- a number of milliseconds
const timeout: MCPServerConfig = { command: "npx", timeout: "30s" }
// @ts-expect-error -- a slip
const slip: MCPServerConfig = { command: "npx", tiemout: 30_000 }
const alias: MCPServerConfig = { command: "npx", connectionTimeoutMs: 1_000, disabled: true, pin: "${PIN:-warn}" }
// @ts-expect-error -- an alias has the type of its key
const ofAlias: MCPServerConfig = { command: "npx", requestTimeoutMs: "30s" }
// @ts-expect-error -- no key of OAuth
const auth: MCPServerConfig = { url: "https://mcp.example/mcp", auth: { type: "oauth", clientID: "x" } }
// @ts-expect-error -- no mode
const mode: MCPServerConfig = { url: "https://mcp.example/mcp", contentMode: "plain" }

describe("MCPServerConfig", () => {
  it("knows every key and no others", () => {
    assert.isTrue(missing)
    assert.isNotEmpty(SERVER_KEY_NAMES)
    assert.lengthOf([timeout, slip, mode, alias, ofAlias, auth], 6)
  })
})
