/** A user who gets servers: a home directory without any configuration, and a registry on the loopback. */
import * as Effect from "effect/Effect"
import JSON5 from "json5"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { serving, type Shelf } from "../fixtures/registry/registry.ts"
import { filesystem, memory } from "../fixtures/registry/servers.ts"
import { inFolder } from "../support/folder.ts"
import { runHere } from "./here.ts"
import { run } from "./program.ts"

/** An empty folder of a user without any configuration. */
export const machineOf = Effect.fnUntraced(function* (via: typeof run) {
  const home = yield* inFolder
  const cwd = join(home, "here")
  mkdirSync(cwd)
  const shelf: { now: Shelf } = { now: { servers: [memory, filesystem] } }
  const { asked, url } = yield* serving(() => shelf.now)
  const env = { HOME: home, MCP_LIVE_HOME: "", XDG_CONFIG_HOME: "", COLUMNS: "80", MCP_LIVE_REGISTRY: url }
  const live = (args: ReadonlyArray<string>, more: Record<string, string> = {}) =>
    via(args, { cwd, env: { ...env, ...more } })
  const target = join(home, ".mcp-live", "openclaw.json")
  return { home, cwd, url, asked, shelf, live, target }
})

/** What it runs, it runs in the test's process. */
export const machine = machineOf(runHere)

interface Config {
  readonly mcp: { readonly servers: Readonly<Record<string, unknown>> }
}
export const serversOf = (file: string) => JSON5.parse<Config>(readFileSync(file, "utf8")).mcp.servers

export const noSecrets = (home: string): boolean => {
  const folder = join(home, ".mcp-live", "secrets")
  return !existsSync(folder) || readdirSync(folder).every((server) => readdirSync(join(folder, server)).length === 0)
}
