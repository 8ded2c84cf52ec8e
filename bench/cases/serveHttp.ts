/** What it costs a client of `mcp-live serve --http` that the servers are behind it. */
import { isolate } from "../lib/isolate.ts"
import type { BenchCase, Verdict } from "../lib/result.ts"
import { samplesOf, type Samples } from "../lib/rounds.ts"
import { median, medianRatio } from "../lib/stats.ts"
import { TEXT } from "./call.ts"

export const CALLS = 192
export const IN_FLIGHT = [1, 16, 64] as const
export const ROUNDS = { rounds: 60, warmUp: 10 }

export const BARE = "a bare server of the SDK"
export const SERVED = "mcp-live serve --http"

const GOAL = 1.1

/** Of one variant with so many calls in flight. */
export const nameOf = (variant: string, inFlight: number): string => `${variant}, ${inFlight} in flight`

const variantsIn = (samples: ReadonlyArray<Samples>): ReadonlyArray<string> => [
  ...new Set(samples.map(({ name }) => name.slice(0, name.lastIndexOf(","))))
]

export const serveHttp: BenchCase = {
  name: "serveHttp",
  goal: `A call through mcp-live serve --http takes at most ${GOAL} times one at a bare server of the SDK, which answers by itself, and less than through other programs that put a server behind HTTP.`,
  run: async () => {
    const samples = await isolate<ReadonlyArray<Samples>>("serveHttp.ts")
    const wall = (variant: string, inFlight: number) => samplesOf(samples, nameOf(variant, inFlight)).wall
    const times = (variant: string, to: string, inFlight: number) =>
      medianRatio(wall(variant, inFlight), wall(to, inFlight))
    const others = variantsIn(samples).filter((variant) => variant !== BARE && variant !== SERVED)
    const verdicts = IN_FLIGHT.flatMap((inFlight): ReadonlyArray<Verdict> => {
      const bare = times(SERVED, BARE, inFlight)
      return [
        {
          goal: `${inFlight} in flight: at most ${GOAL} × ${BARE}`,
          measured: `${bare.toFixed(2)} ×`,
          pass: bare <= GOAL
        },
        ...others.map((other): Verdict => {
          const ratio = times(SERVED, other, inFlight)
          return {
            goal: `${inFlight} in flight: less than ${other}`,
            measured: `${ratio.toFixed(2)} ×`,
            pass: ratio < 1
          }
        })
      ]
    })
    return {
      columns: IN_FLIGHT.flatMap((inFlight) => [`${inFlight} in flight: µs`, "× bare"]),
      rows: variantsIn(samples).map((variant) => ({
        variant,
        values: IN_FLIGHT.flatMap((inFlight) => [
          (median(wall(variant, inFlight)) * 1_000) / CALLS,
          times(variant, BARE, inFlight)
        ])
      })),
      verdicts,
      notes: [
        `The SDK's client over Streamable HTTP (2025-11-25), ${TEXT.length}-byte echo; blocks of ${CALLS} calls, ${ROUNDS.rounds} rounds after ${ROUNDS.warmUp} of warm-up, in turns. The bare server answers in its own process; everybody else passes the call on to a server over stdio. The system places the processes.`
      ]
    }
  }
}
