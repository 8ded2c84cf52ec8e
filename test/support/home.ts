/** What a test file keeps in the data directory is its own, and gone with it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const home = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
process.env["MCP_LIVE_HOME"] = home

// A program on a terminal that was just closed may still write there.
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
