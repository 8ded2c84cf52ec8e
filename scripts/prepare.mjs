/**
 * Runs once after `npm ci` in a checkout of this project (never in a user's project).
 * The `node` package leaves a second, unpacked copy of its download behind (headers, npm, docs: 68 MB);
 * the executable itself is a hard link, so the leftovers can go.
 */
import { execFileSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const inProject = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

rmSync(inProject("node_modules/node/node_modules"), { recursive: true, force: true })
// Not there when only the lock file was asked for.
if (!existsSync(inProject("node_modules/typescript/bin/tsc"))) process.exit(0)
execFileSync(process.execPath, [inProject("scripts/build.mjs")], { stdio: "inherit" })
