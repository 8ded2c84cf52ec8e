/** A folder for the Scope. */
import * as Effect from "effect/Effect"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const inFolder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "mcp-live-test-")))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
