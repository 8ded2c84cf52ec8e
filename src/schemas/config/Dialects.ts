/** Keys of server entries that other programs know: some have no effect here, others must not be ignored. */

/**
 * `openclaw` entries are those under `mcp.servers`; `mcpServers` entries are written for many programs, each with keys of its own.
 */
export type Dialect = "openclaw" | "mcpServers"

const OPENCLAW_INERT = ["supportsParallelToolCalls", "codex", "description"]
const INERT: Record<Dialect, ReadonlySet<string>> = {
  openclaw: new Set(OPENCLAW_INERT),
  mcpServers: new Set([...OPENCLAW_INERT, "autoApprove", "alwaysAllow", "icon", "gallery", "dev"])
}

/** Known to other programs, and safe to ignore. */
export const isInert = (dialect: Dialect, name: string): boolean => INERT[dialect].has(name)

/** All of them. */
export const INERT_KEYS: ReadonlyArray<string> = [...INERT.mcpServers]

/** Known to other programs, but important to their author: ignoring them would weaken what the operator meant. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ["oauth", 'write auth: { type: "oauth", … }'],
  ["sslVerify", "certificates are always verified"],
  ["clientCert", "client certificates cannot be presented"],
  ["clientKey", "client certificates cannot be presented"],
  ["envFile", "put the variables in env, as ${NAME} or as secret:// references"]
])

export const unsupportedKey = (name: string): string | undefined => {
  const instead = UNSUPPORTED.get(name)
  return instead === undefined ? undefined : `is not supported: ${instead}`
}
