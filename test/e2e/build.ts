/** The program is tested as users get it: built. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export default function build() {
  execFileSync(process.execPath, [inProject("scripts/build.mjs")], { stdio: "inherit" })
}
