/** Type check and Effect diagnostics in one pass; installs the patched compiler beside the project on first use. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const tools = fileURLToPath(new URL("../tools/effect-diagnostics/", import.meta.url))

if (!existsSync(`${tools}node_modules/.bin/effect-tsgo`)) {
  // Not `npm ci`: that fails when the lock file lacks the binaries of platforms other than this one.
  execFileSync("npm", ["install", "--no-save"], { cwd: tools, stdio: "inherit", shell: process.platform === "win32" })
}
// Idempotent: swaps the compiler in the tools folder for the one with the Effect rules.
execFileSync(process.execPath, [`${tools}node_modules/.bin/effect-tsgo`, "patch"], { cwd: tools, stdio: "ignore" })
/** The page has the types of a browser, everything else those of Node. */
const codes = ["tsconfig.json", "tsconfig.page.json"].map(
  (project) =>
    spawnSync(process.execPath, [`${tools}node_modules/typescript/bin/tsc`, "--noEmit", "-p", `${root}${project}`], {
      stdio: "inherit"
    }).status ?? 1
)
const code = Math.max(...codes)
// The examples import the package as its users do.
if (code !== 0 && !existsSync(`${root}dist/index.d.ts`))
  console.error("dist/ is missing, so errors in examples/ say nothing: npm run build, then npm run typecheck again")
process.exit(code)
