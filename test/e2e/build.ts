/** The program is tested as users get it: compiled. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export default function build() {
  execFileSync(
    process.execPath,
    [inProject("node_modules/typescript/bin/tsc"), "-p", inProject("tsconfig.build.json")],
    {
      stdio: "inherit"
    }
  )
  execFileSync(process.execPath, [inProject("scripts/bundle-plugin.mjs")], { stdio: "inherit" })
}
