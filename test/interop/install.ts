/** Peers have lock files of their own; what is not installed yet, or not as locked, is installed before the tests. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const modified = (path: string) => (existsSync(path) ? statSync(path).mtimeMs : 0)

/** npm writes down what it installed, after it has. */
const isInstalled = (folder: string) =>
  modified(`${folder}/node_modules/.package-lock.json`) >= modified(`${folder}/package-lock.json`)

const installIn = (folder: string, ...verbs: ReadonlyArray<string>) => {
  if (!existsSync(`${folder}/package-lock.json`) || isInstalled(folder)) return
  const { description } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { description: string }
  process.stderr.write(`installing: ${description}\n`)
  execFileSync("npm", [...verbs, "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"]
  })
}

/** `npm ci` wants each platform's optional binaries in the lock file of acpx, and not every registry has them. */
export const installAcpx = (): void => installIn(at("acpx"), "install", "--no-save")

export const installMcpClients = (): void => installIn(at("clients"), "ci")

export default (): void => {
  for (const folder of [at("."), at("everything")]) installIn(folder, "ci")
  installMcpClients()
  installAcpx()
}
