/** Peers have lock files of their own; what is not installed yet, or not as locked, is installed before the tests. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const modified = (path: string) => (existsSync(path) ? statSync(path).mtimeMs : 0)

/** npm writes down what it installed, after it has. */
const isInstalled = (folder: string) =>
  modified(`${folder}/node_modules/.package-lock.json`) >= modified(`${folder}/package-lock.json`)

export default (): void => {
  for (const folder of [at("."), at("everything"), at("acpx")]) {
    if (!existsSync(`${folder}/package-lock.json`) || isInstalled(folder)) continue
    const { description } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { description: string }
    process.stderr.write(`installing: ${description}\n`)
    // `npm ci` wants each platform's optional binaries in the lock file of acpx, and not every registry has them.
    const verbs = folder === at("acpx") ? ["install", "--no-save"] : ["ci"]
    execFileSync("npm", [...verbs, "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"]
    })
  }
}
