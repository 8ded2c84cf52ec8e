/**
 * Tells the operator that a call was refused for a secret of somebody else: perhaps a model was talked into it, perhaps the
 * two servers are meant to share it. Once in a while for each server and what was asked for; never with a value.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SECRET_REFUSAL_LOG_MS, SECRET_REFUSALS_KNOWN_MAX } from "../../../schemas/defaults/Secrets.ts"
import type { SecretInArguments } from "../../../schemas/call/CallError.ts"

/** Nothing in a name may start a line of its own, or hide in one. */
const shown = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")

const sentence = ({ path, server, subject }: SecretInArguments) =>
  `[${shown(server)}] ${shown(subject)} was refused: its arguments hold a secret that is not this server's` +
  `${path === "" ? "" : ` at '${shown(path)}'`}; "blockSecretArguments": false on this server switches this off`

/** Takes no time where it is called. */
export const makeTellRefusal = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context())
  const toldAt = new Map<string, number>()

  return (refusal: SecretInArguments): void => {
    if (refusal.what !== "secret") return
    const key = JSON.stringify([refusal.server, refusal.subject])
    const now = clock.currentTimeMillisUnsafe()
    // The oldest come first.
    for (const [known, at] of toldAt) {
      if (now - at < SECRET_REFUSAL_LOG_MS) break
      toldAt.delete(known)
    }
    if (toldAt.has(key) || toldAt.size >= SECRET_REFUSALS_KNOWN_MAX) return
    toldAt.set(key, now)
    fork(Effect.logWarning(sentence(refusal)))
  }
})
