/** Tools whose definitions are not those that were approved. */
import type { Check } from "../Facts.ts"

const tools = (count: number) => `${count} tool${count === 1 ? "" : "s"}`

export const definitions: Check = ({ servers }) =>
  servers.flatMap(({ config: { name: server }, status }) => {
    const [withheld, open] = [status?.withheld ?? 0, status?.unreviewed ?? 0]
    if (open === 0) return []
    return [
      {
        id: "definitions-changed",
        severity: "warning",
        server,
        what: `${tools(open)} should be reviewed: changed, added since you approved the server's definitions, or with the name of another server's tool${withheld > 0 ? `; ${tools(withheld)} cannot be called until you decide` : ""}.`,
        why: "A server can change what a tool does after you have looked at it.",
        mend: "mcp-live pins list, then mcp-live pins diff, approve or reject"
      }
    ]
  })
