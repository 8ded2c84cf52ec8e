/** The rules of clients at the door: who is let in, and with which agent. The log says whom no rule lets in, without the token. */
import * as Effect from "effect/Effect"
import { REFUSALS_LOGGED_MS, REFUSALS_REMEMBERED_MAX } from "../../../../schemas/defaults/Clients.ts"
import { LISTENER_NAME_MAX_CHARS } from "../../../../schemas/defaults/Listener.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { HttpOptions } from "../../../../services/listener/McpListener.ts"
import type { Run } from "../requests/running.ts"
import type { Who } from "./tokens.ts"

/** `undefined`: no rule lets the client in. */
export const makeRuled = (
  admits: HttpOptions["admits"],
  run: Run,
  label: Label,
  now: () => number
): ((who: Who) => Who | undefined) => {
  if (admits === undefined) return (who) => who
  const loggedAt = new Map<string, number>()

  /** One line for each client in a while: whoever asks again and again does not fill the log. */
  const logged = ({ principal }: Who): void => {
    const last = loggedAt.get(principal) ?? -Infinity
    if (now() - last < REFUSALS_LOGGED_MS) return
    if (loggedAt.size >= REFUSALS_REMEMBERED_MAX) loggedAt.clear()
    loggedAt.set(principal, now())
    run(Effect.logWarning(`no rule of clients.rules lets ${label(principal, LISTENER_NAME_MAX_CHARS)} in`))
  }

  return (who) => {
    const admitted = admits(who)
    if (admitted === undefined) logged(who)
    else if (admitted.agent === who.agent) return who
    else return { ...who, agent: admitted.agent }
    return undefined
  }
}
