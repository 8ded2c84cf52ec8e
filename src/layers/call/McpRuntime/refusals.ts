/**
 * Warns the operator that a call was refused because of another server's secret: perhaps a model was tricked, or perhaps both
 * servers are meant to share it. Limited per server and subject; never contains a value.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SECRET_REFUSAL_LOG_MS, SECRET_REFUSALS_KNOWN_MAX } from "../../../schemas/defaults/Secrets.ts"
import type { SecretInArguments } from "../../../schemas/call/CallError.ts"

/** A name must not begin a line of its own or be invisible. */
const shown = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")

const sentence = ({ path, server, subject }: SecretInArguments) =>
  `[${shown(server)}] ${shown(subject)} was refused: its arguments contain a secret that does not belong to this server` +
  `${path === "" ? "" : ` at '${shown(path)}'`}; "blockSecretArguments": false on this server turns this check off`

/** Returns immediately. */
export const makeTellRefusal = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  // With the loggers of the runtime: those of a caller need not reach the operator.
  const fork = Effect.runForkWith(yield* Effect.context())
  const toldAt = new Map<string, number>()

  return (refusal: SecretInArguments): void => {
    if (refusal.what !== "secret") return
    const key = JSON.stringify([refusal.server, refusal.subject])
    const now = clock.currentTimeMillisUnsafe()
    // Oldest first.
    for (const [known, at] of toldAt) {
      if (now - at < SECRET_REFUSAL_LOG_MS) break
      toldAt.delete(known)
    }
    if (toldAt.has(key) || toldAt.size >= SECRET_REFUSALS_KNOWN_MAX) return
    toldAt.set(key, now)
    fork(Effect.logWarning(sentence(refusal)))
  }
})
