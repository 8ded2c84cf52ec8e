/** Builds the program, where something of it has changed. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export default function build() {
  execFileSync(process.execPath, [inProject("scripts/build.mjs"), "--if-changed"], { stdio: "inherit" })
}
