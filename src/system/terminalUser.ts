/** Who started this program, as the operating system knows them. */
import { userInfo } from "node:os"
import type { TerminalUser } from "../schemas/call/Caller.ts"

/** A user may have no name, as in many containers. */
export const terminalUser = (): TerminalUser => {
  const uid = process.getuid?.()
  try {
    return { username: userInfo().username, uid }
  } catch {
    return { username: `user ${uid ?? "unknown"}`, uid }
  }
}
