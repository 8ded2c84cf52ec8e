/** The plugin for OpenClaw: bundled into one file and loaded by `plugins.load.paths`. */
import { PLUGIN_ID } from "./openclawPlugin/plugin.ts"
import { register } from "./openclawPlugin/register.ts"

export default {
  id: PLUGIN_ID,
  name: "mcp-live",
  description: "Makes results of MCP servers safe to show, and gives each agent servers of its own",
  register
}
