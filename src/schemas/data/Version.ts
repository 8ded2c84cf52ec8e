/** How this client introduces itself to servers. A test compares it with package.json. */
export const VERSION = "0.1.0"
export const CLIENT_INFO = { name: "mcp-live", version: VERSION } as const
