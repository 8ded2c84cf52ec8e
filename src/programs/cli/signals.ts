/**
 * Why a command stops early: SIGINT, SIGTERM, SIGHUP, or an uncaught exception. The listeners stay for the life of the
 * process: however often a signal comes, it does not kill us before the process trees of our servers are stopped.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import { maskedNow } from "./masking.ts"

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** For a signal, as shells report it: 128 plus its number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, crash: 1 } as const

export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", {
  reason: Schema.Literals([...SIGNALS, "crash"])
}) {
  get exitCode() {
    return EXIT_CODES[this.reason]
  }
}

// Module state: what the signal handlers of the process complete. They stay until it ends.
const stopped = Deferred.makeUnsafe<never, Stopped>()

const stop = (reason: keyof typeof EXIT_CODES) => Deferred.doneUnsafe(stopped, Effect.fail(new Stopped({ reason })))

const report = (what: string, error: unknown) =>
  process.stderr.write(maskedNow(`mcp-live: ${what}: ${inspect(error)}\n`))

export const listenForSignals = () => {
  for (const signal of SIGNALS) process.on(signal, () => stop(signal))
  // Exiting at once would leave our servers running.
  process.on("uncaughtException", (error) => {
    report("internal error", error)
    stop("crash")
  })
  // A rejection that nobody handled is no reason to stop.
  process.on("unhandledRejection", (error) => report("a failure that nobody waited for", error))
}

/** Runs until done or told to stop. Then the effect is interrupted, and has released everything before this fails. */
export const untilStopped = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Stopped, R> =>
  Effect.raceFirst(effect, Deferred.await(stopped))
