/**
 * The tool names that the manifest next to the program declares. OpenClaw drops every other tool of a plugin. `mcp-live
 * plugin` writes a folder whose manifest names the tools of the servers.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { textsAt } from "../../schemas/agent/openclaw/doctor/read.ts"
import { TOOL } from "./metaTool.ts"

export const MANIFEST = "openclaw.plugin.json"

/** Every tool of OpenClaw's own MCP servers has this in its name; ours must not. */
const NATIVE = "__"

/** Whether an agent can have a tool under this name. */
export const canDeclare = (name: string): boolean => name !== TOOL && !name.includes(NATIVE)

export const declaredIn = (manifest: unknown): ReadonlyArray<string> =>
  textsAt(manifest, ["contracts", "tools"]).filter(canDeclare)

/** Empty without a readable manifest: the single tool is enough then. */
export const declaredTools = (): ReadonlyArray<string> => {
  try {
    return declaredIn(JSON.parse(readFileSync(fileURLToPath(new URL(MANIFEST, import.meta.url)), "utf8")))
  } catch {
    return []
  }
}
