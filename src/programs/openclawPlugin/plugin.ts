/** The id of the plugin in `plugins.entries` and in its manifest. */
export const PLUGIN_ID = "mcp-live"
