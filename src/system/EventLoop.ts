/**
 * The turns of the event loop. A process has one loop, whoever uses it: two runtimes side by side, each with turns of its own, would take
 * twice the time that is promised to others. No scope is above both, so this is a `Context.Reference`: one for the process, made when it
 * is first needed, and replaced in a test that needs its own.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { makeAllowances, type Allowance } from "./allowance.ts"
import { LargeWork } from "./largeWork.ts"
import { makeLongPlaces, type LongPlaces } from "./longPlaces.ts"

export interface Loop {
  /** The order of all large work. */
  readonly large: LargeWork
  /** Makes the allowance of one server. */
  readonly allowance: () => Allowance
  /** The places for long messages of one server, for the Scope. */
  readonly longPlaces: Effect.Effect<LongPlaces, never, Scope.Scope>
}

export const makeEventLoop = (): Loop => ({
  large: new LargeWork(),
  allowance: makeAllowances(),
  longPlaces: makeLongPlaces()
})

export class EventLoop extends Context.Reference<Loop>("mcp-live/system/EventLoop", { defaultValue: makeEventLoop }) {}
