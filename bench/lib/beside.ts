/** Calls to two servers, in turns alone and beside somebody who floods. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as delay } from "node:timers/promises"
import {
  BURST_MS,
  CALLS,
  FLOOD_MS,
  ROUNDS,
  type FloodSamples,
  type Neighbours,
  type Transport
} from "../cases/flood.ts"

export interface Side {
  /** An echo of the neighbour over this transport. */
  readonly call: (to: Transport, text: string) => Promise<void>
  /** Whether the event loop that is looked at is that of this process. */
  readonly isHere: boolean
  /** Megabytes of the process that is looked at, at most since it was last asked. */
  readonly peakMb: () => number | undefined
}

type Gathered = { readonly [name in keyof Neighbours]: Array<number> }
const gathered = (): Gathered => ({ stdio: [], http: [], blocks: [] })

const block = async ({ call, isHere }: Side, into: Gathered): Promise<void> => {
  const turns = monitorEventLoopDelay({ resolution: 1 })
  turns.enable()
  for (let left = CALLS; left > 0; left--) {
    for (const name of ["stdio", "http"] as const) {
      const start = performance.now()
      await call(name, `call ${left}.`)
      into[name].push(performance.now() - start)
    }
    await delay(1)
  }
  turns.disable()
  if (isHere) into.blocks.push(turns.max / 1e6)
}

/** Of one of those who pour: `pour` ends by itself after `FLOOD_MS`, or when it is told so. */
export type Measure = (
  name: Pick<FloodSamples, "transport" | "way">,
  pour: (signal: AbortSignal) => Promise<unknown>
) => Promise<FloodSamples>

/** After a block to warm up: what is had then is what all others are compared with. */
export const makeMeasure = async (side: Side): Promise<Measure> => {
  await block(side, gathered())
  side.peakMb()
  const idleMb = side.peakMb()
  return async (name, pour) => {
    const [alone, beside] = [gathered(), gathered()]
    side.peakMb()
    for (let round = 0; round < ROUNDS; round++) {
      await block(side, alone)
      const enough = new AbortController()
      const poured = Promise.all([pour(enough.signal), delay(FLOOD_MS)])
      await delay(BURST_MS)
      await block(side, beside)
      enough.abort()
      await poured
      // What is left in the pipe.
      await delay(BURST_MS)
    }
    const peakMb = side.peakMb()
    return { ...name, alone, beside, roomMb: idleMb === undefined || peakMb === undefined ? null : peakMb - idleMb }
  }
}
