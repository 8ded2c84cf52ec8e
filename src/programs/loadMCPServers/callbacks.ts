/** Calls into the program, which may fail at once or later. Whatever they do, nothing here fails with them. */
import * as Effect from "effect/Effect"
import { CALLBACK_WAIT_MS } from "../../schemas/defaults/Configuration.ts"

/** Calls a listener at once and waits for nothing. That it fails is nobody else's trouble. */
export const quietly = async (listener: () => unknown): Promise<void> => {
  try {
    await listener()
  } catch {
    // Whoever listens decides for itself what to make of its failures.
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === "string" ? error : "an error without a message"

/** Waits for what it is asked to do, but not for ever; a failure is a warning in the log. */
export const attempt = (what: string, run: () => unknown): Effect.Effect<void> =>
  Effect.tryPromise({ try: async () => run(), catch: messageOf }).pipe(
    Effect.timeoutOrElse({
      duration: CALLBACK_WAIT_MS,
      orElse: () => Effect.fail(`it was not done after ${CALLBACK_WAIT_MS} ms`)
    }),
    Effect.catch((message) => Effect.logWarning(`${what} failed: ${message}`)),
    Effect.asVoid
  )
