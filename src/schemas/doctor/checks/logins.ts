/** Logins that have expired, or cannot be read. */
import { loginCommand } from "../../connection/HttpError.ts"
import type { Check } from "../Facts.ts"

export const logins: Check = ({ now, servers }) =>
  servers.flatMap(({ config: { name: server }, login }) => {
    if (login?._tag === "Unreadable") {
      return [
        {
          id: "login-unreadable",
          severity: "error",
          server,
          what: `The stored login cannot be read: ${login.detail}`,
          why: "Requests are sent without a token.",
          mend: loginCommand(server)
        }
      ]
    }
    if (login?._tag !== "Stored" || login.expiresAt === undefined || login.expiresAt > now || login.renewable) return []
    return [
      {
        id: "login-expired",
        severity: "error",
        server,
        what: `The login expired at ${new Date(login.expiresAt).toISOString()}, and cannot be renewed without you.`,
        why: "The server refuses calls until you log in again.",
        mend: loginCommand(server)
      }
    ]
  })
