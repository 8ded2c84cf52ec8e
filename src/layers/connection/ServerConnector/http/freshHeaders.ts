/**
 * Calls that a server of 2026-07-28 refuses because their custom headers do not match their body: the tool's schema has changed since it was
 * listed (Streamable HTTP › Client Behavior). Such a call was not executed.
 */
import * as Effect from "effect/Effect"
import type { RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { ServerConnection } from "../../../../services/connection/ServerConnector.ts"
import { monotonicMs } from "../rpc/deadlines.ts"
import { HEADER_MISMATCH } from "./httpFailure.ts"

type Request = ServerConnection["request"]

/** Lists the tools again and sends a refused call once more, within its time. */
export const withFreshHeaders =
  (send: Request, relist: Effect.Effect<unknown, RequestError>): Request =>
  (method, params, options) => {
    if (method !== "tools/call") return send(method, params, options)
    return Effect.clockWith((clock) => {
      const started = monotonicMs(clock)
      const leftMs = () => Math.max(0, options.totalMs - (monotonicMs(clock) - started))
      return send(method, params, options).pipe(
        Effect.catchTag("ProtocolError", (refusal) =>
          refusal.code !== HEADER_MISMATCH
            ? Effect.fail(refusal)
            : relist.pipe(
                Effect.timeoutOrElse({ duration: leftMs(), orElse: () => Effect.fail(refusal) }),
                Effect.matchEffect({
                  onFailure: () => Effect.fail(refusal),
                  onSuccess: () => Effect.suspend(() => send(method, params, { ...options, totalMs: leftMs() }))
                })
              )
        )
      )
    })
  }
