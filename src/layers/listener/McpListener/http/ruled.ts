/**
 * The rules of clients at the door: who is let in, and with which agent. The log says whom no rule lets in, without the token. What a client
 * has open, and what is done for it, ends within a quarter of a minute after the rules let it in no more.
 */
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import {
  CLIENT_STREAMS_CHECK_MS,
  REFUSALS_LOGGED_MS,
  REFUSALS_REMEMBERED_MAX
} from "../../../../schemas/defaults/Clients.ts"
import { LISTENER_NAME_MAX_CHARS } from "../../../../schemas/defaults/Listener.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { HttpOptions } from "../../../../services/listener/McpListener.ts"
import type { Run } from "../requests/running.ts"
import { again, tryEach } from "../../../../system/rounds.ts"
import type { Kept } from "./Revoked.ts"
import type { Who } from "./tokens.ts"

export interface Ruled {
  /** `undefined`: no rule lets the client in. */
  readonly admitted: (who: Who) => Who | undefined
  /** An answer to a client that is let in. */
  readonly note: (who: Who, response: ServerResponse) => void
}

export const makeRuled = (
  admits: HttpOptions["admits"],
  run: Run,
  label: Label,
  now: () => number,
  kept: () => ReadonlyArray<Kept>
): Ruled => {
  if (admits === undefined) return { admitted: (who) => who, note: () => {} }
  const loggedAt = new Map<string, number>()
  const open = new Map<ServerResponse, Who>()

  /** One line for each client in a while: whoever asks again and again does not fill the log. */
  const logged = ({ identity, principal }: Who): void => {
    const last = loggedAt.get(principal) ?? -Infinity
    if (now() - last < REFUSALS_LOGGED_MS) return
    if (loggedAt.size >= REFUSALS_REMEMBERED_MAX) loggedAt.clear()
    loggedAt.set(principal, now())
    const shown = (text: string) => label(text, LISTENER_NAME_MAX_CHARS)
    const who = identity?.person === undefined ? principal : `${identity.person.name} (client ${identity.client})`
    run(Effect.logWarning(`${shown(who)} was not let in: no rule of clients.rules matches`))
  }

  const admitted = (who: Who): Who | undefined => {
    const found = admits(who)
    if (found === undefined) logged(who)
    else if (found.agent === who.agent) return who
    else return { ...who, agent: found.agent }
    return undefined
  }

  // A task goes on without an open answer, and a call after its answer was cut.
  const check = Effect.suspend(() => {
    const answers = [...open].map(([response, who]) => ({ who, end: () => void response.destroy() }))
    return tryEach([...answers, ...kept()], ({ end, who }) =>
      Effect.sync(() => (admitted(who) === undefined ? end() : undefined))
    )
  })
  run(again("looking for clients that no rule lets in", CLIENT_STREAMS_CHECK_MS, check))

  return {
    admitted,
    note: (who, response) => {
      open.set(response, who)
      response.once("close", () => open.delete(response))
    }
  }
}
