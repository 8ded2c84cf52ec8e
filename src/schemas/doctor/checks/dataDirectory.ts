/** The data directory: whose it is, who can use it, and whether it has room. */
import { DOCTOR_FREE_BYTES } from "../../defaults/Doctor.ts"
import { shellWord } from "../../connection/HttpError.ts"
import type { Finding } from "../Finding.ts"
import type { Check } from "../Facts.ts"

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0")

export const dataDirectory: Check = ({ data }) => {
  const { exists, freeBytes, open, others, othersOwn, path, writable } = data
  if (!exists) return []
  const found: Array<Finding> = []
  if (othersOwn)
    found.push({
      id: "data-owner",
      severity: "error",
      server: null,
      what: `${path} belongs to another user.`,
      why: "Logins, approvals and pins cannot be kept there safely.",
      mend: `sudo chown -R "$(id -u)" ${shellWord(path)}   (or set MCP_LIVE_HOME to a directory of your own)`
    })
  else if (!writable)
    found.push({
      id: "data-read-only",
      severity: "error",
      server: null,
      what: `${path} cannot be written.`,
      why: "Nothing can be kept: no login, approval, pin, log or audit record.",
      mend: `chmod u+rwx ${shellWord(path)}   (or set MCP_LIVE_HOME to another directory)`
    })
  const [first, ...further] = others
  if (first !== undefined)
    found.push({
      id: "data-owner",
      severity: "error",
      server: null,
      what: `${first}${further.length === 0 ? " belongs" : ` and ${further.length} more in ${path} belong`} to another user.`,
      why: "It is not used: running gateways, logins, approvals, pins or secrets in it are not found.",
      mend: `sudo chown -R "$(id -u)" ${shellWord(path)}   (starting mcp-live once with sudo leaves such files)`
    })
  if (freeBytes !== undefined && freeBytes < DOCTOR_FREE_BYTES)
    found.push({
      id: "disk-full",
      severity: freeBytes === 0 ? "error" : "warning",
      server: null,
      what: `The disk of ${path} has ${Math.floor(freeBytes / 1024 / 1024)} MB left.`,
      why: "Logs and stores cannot be written when it is full.",
      mend: "Make room on that disk, or set MCP_LIVE_HOME to a directory on another one."
    })
  for (const { mode, path: one, wanted } of open)
    found.push({
      id: "data-mode",
      severity: "warning",
      server: null,
      what: `Others can use ${one} (mode ${octal(mode)}).`,
      why: "They may find credentials, arguments or names in it.",
      mend: `chmod ${octal(wanted)} ${shellWord(one)}   (mcp-live doctor --fix does it)`,
      fix: { _tag: "SetMode", path: one, mode: wanted }
    })
  return found
}
