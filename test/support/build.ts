/** Builds the program, and the fixtures that are programs, where something of them has changed. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { FIXTURES_VARIABLE } from "../fixtures/servers.ts"
import { buildFixtures } from "./fixturePrograms.ts"

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Once for all projects of a run. */
export default async function build() {
  if (process.env[FIXTURES_VARIABLE] !== undefined) return
  execFileSync(process.execPath, [inProject("scripts/build.mjs"), "--if-changed"], { stdio: "inherit" })
  await buildFixtures()
}
