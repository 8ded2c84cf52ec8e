/** As which OpenClaw knows the plugin: in `plugins.entries`, and in its manifest. */
export const PLUGIN_ID = "mcp-live"
