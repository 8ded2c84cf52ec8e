/** What it costs a request that its client has logged in: to find a token that was checked before. */
import { isolate } from "../lib/isolate.ts"
import type { BenchCase } from "../lib/result.ts"
import { samplesOf, type Samples } from "../lib/rounds.ts"
import { median } from "../lib/stats.ts"

export const REQUESTS = 2_000
export const ROUNDS = { rounds: 40, warmUp: 10 }
/** Other tokens that are known, and other persons. */
export const OTHERS = 1_000

export const AT_THE_DOOR = "the door of the listener"
export const TAKING_TURNS = "the door, two clients of a person in turns"
export const VERIFY = "TokenVerifier.verify, keys and token known"
export const CONFIGURED = "a token of the configuration, a connection each"
/** For comparison: what a token costs once. */
export const FIRST = "the first check of a token (ES256)"

const GOAL_US = 30

const microseconds = (samples: ReadonlyArray<Samples>, name: string, requests = REQUESTS): number =>
  (median(samplesOf(samples, name).wall) * 1_000) / requests

export const FIRST_REQUESTS = 50

export const token: BenchCase = {
  name: "token",
  goal: `To check a token that is known adds at most ${GOAL_US} µs to a call.`,
  run: async () => {
    const samples = await isolate<ReadonlyArray<Samples>>("token.ts")
    const of = (name: string) => microseconds(samples, name, name === FIRST ? FIRST_REQUESTS : REQUESTS)
    return {
      columns: ["µs for each request"],
      rows: [AT_THE_DOOR, TAKING_TURNS, VERIFY, CONFIGURED, FIRST].map((variant) => ({
        variant,
        values: [of(variant)]
      })),
      verdicts: [AT_THE_DOOR, TAKING_TURNS, VERIFY].map((variant) => ({
        goal: `${variant}: at most ${GOAL_US} µs`,
        measured: `${of(variant).toFixed(1)} µs`,
        pass: of(variant) <= GOAL_US
      })),
      notes: [
        `Blocks of ${REQUESTS} requests, ${ROUNDS.rounds} rounds after ${ROUNDS.warmUp} of warm-up, in turns, in one process; ${OTHERS} other persons are logged in. The door does what it does with a real request: it reads the header, finds the token by its digest, remembers it for exchanges and masks, and notes the stream. The median of the rounds.`
      ]
    }
  }
}
