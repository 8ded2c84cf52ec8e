/**
 * The names of tools that the manifest beside the program declares: OpenClaw drops every tool of a plugin whose name is not
 * written there. `mcp-live plugin` writes a folder whose manifest has the tools of the servers.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { textsAt } from "../../schemas/agent/openclaw/doctor/read.ts"
import { TOOL } from "./metaTool.ts"

export const MANIFEST = "openclaw.plugin.json"

/** Every tool of OpenClaw's own MCP servers has this in its name; a result must never be ours by such a name. */
const NATIVE = "__"

/** Whether a tool can be given to an agent by this name of its own. */
export const canDeclare = (name: string): boolean => name !== TOOL && !name.includes(NATIVE)

export const declaredIn = (manifest: unknown): ReadonlyArray<string> =>
  textsAt(manifest, ["contracts", "tools"]).filter(canDeclare)

/** None where there is no manifest that can be read: the single tool is enough then. */
export const declaredTools = (): ReadonlyArray<string> => {
  try {
    return declaredIn(JSON.parse(readFileSync(fileURLToPath(new URL(MANIFEST, import.meta.url)), "utf8")))
  } catch {
    return []
  }
}
