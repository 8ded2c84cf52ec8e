/** Calls functions of the user's program. They may fail, now or later, without making anything here fail. */
import * as Effect from "effect/Effect"
import { CALLBACK_WAIT_MS } from "../../schemas/defaults/Configuration.ts"

/** Calls a listener without waiting for it, and ignores its errors. */
export const quietly = async (listener: () => unknown): Promise<void> => {
  try {
    await listener()
  } catch {
    // The listener has to handle its own errors.
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === "string" ? error : "an error without a message"

/** Calls a function and waits for it, up to a limit. An error is a warning in the log. */
export const attempt = (what: string, run: () => unknown): Effect.Effect<void> =>
  Effect.tryPromise({ try: async () => run(), catch: messageOf }).pipe(
    Effect.timeoutOrElse({
      duration: CALLBACK_WAIT_MS,
      orElse: () => Effect.fail(`it had not finished after ${CALLBACK_WAIT_MS} ms`)
    }),
    Effect.catch((message) => Effect.logWarning(`${what} failed: ${message}`)),
    Effect.asVoid
  )
