/** References to secrets that have no value. */
import type { Check } from "../Facts.ts"

const mendOf = (reference: string): string => {
  const [, provider = "", path = ""] = /^secret:\/\/([a-z]+)\/(.*)$/i.exec(reference) ?? []
  if (provider === "env") return `Set the variable ${path} where mcp-live is started.`
  if (provider === "file")
    return `Write the secret into the file ${/^(?:~|[A-Za-z]:)/.test(path) ? path : `/${path}`}, readable by you only.`
  return "Store the secret there, or correct the reference; mcp-live validate --secrets tries all of them."
}

export const secrets: Check = ({ secrets: missing, servers }) => {
  // A running gateway may have other variables than this command.
  const ready = new Set(servers.flatMap(({ config, status }) => (status?.state === "Ready" ? [config.name] : [])))
  return missing.map(({ place, reason, reference, server }) => ({
    id: "secret-missing",
    severity: server !== null && ready.has(server) ? "info" : "error",
    server,
    what: `${place}: ${reference} has no value: ${reason}`,
    why: server === null ? "The model cannot be used." : "The server is not started.",
    mend: mendOf(reference)
  }))
}
