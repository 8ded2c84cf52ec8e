/** What a test file keeps in the data directory is its own, and gone with it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const home = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
process.env["MCP_LIVE_HOME"] = home

// Programs that tests start write what ran in them. Code from a cache is not counted.
const coverage = process.env["MCP_LIVE_COVERAGE"]
if (coverage !== undefined) Object.assign(process.env, { NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: "1" })

// A program on a terminal that was just closed may still write there.
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
