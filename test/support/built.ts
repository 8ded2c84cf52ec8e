/** The program as users get it, which also starts in half the time that the sources take. Built before the tests (`test/support/build.ts`). */
import { fileURLToPath } from "node:url"

export const MAIN = fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url))
