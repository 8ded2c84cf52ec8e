/** The port of `serve --http`. */
import type { Check } from "../Facts.ts"

const TELLS: Readonly<Partial<Record<NodeJS.Platform, (port: number) => string>>> = {
  linux: (port) => `ss -ltnp 'sport = :${port}'`,
  darwin: (port) => `lsof -nP -iTCP:${port} -sTCP:LISTEN`,
  win32: (port) => `netstat -ano | findstr :${port}`
}

export const port: Check = ({ platform, port: looked }) => {
  if (looked?.code === undefined) return []
  const { code, host, port: number } = looked
  const who = TELLS[platform]?.(number)
  const isTaken = code === "EADDRINUSE"
  return [
    {
      id: isTaken ? "port-taken" : "port-refused",
      severity: "warning",
      server: null,
      what: isTaken
        ? `Another process listens on ${host}:${number}.`
        : `${host}:${number} cannot be listened on (${code}).`,
      why: "serve --http cannot start there.",
      mend: isTaken
        ? `Choose another one: mcp-live serve --http --port ${number + 1}${who === undefined ? "" : `; who has it: ${who}`}`
        : code === "EACCES"
          ? "Ports below 1024 need rights that a user does not have: choose a higher one with --port."
          : 'Check "serve.host": it must be an address of this machine.'
    }
  ]
}
