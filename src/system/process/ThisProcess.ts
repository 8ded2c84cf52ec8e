/**
 * What exists once in a process of the operating system, however many runtimes it has: its exit, its threads that read files, its
 * inherited descriptors, and its turn to start a server. A program may build several runtimes side by side, and none of them owns the
 * process, so it is a `Context.Reference`: made when it is first needed, and replaced in a test that needs its own.
 */
import * as Context from "effect/Context"
import * as Semaphore from "effect/Semaphore"
import { makeLeftOpenLately } from "./descriptors.ts"
import { makeWithMark, type WithMark } from "./mark.ts"
import { makeSurveys, surveyNow, type Survey, type Surveys } from "./survey.ts"
import { makeWatch, type Watch } from "./watch.ts"

/** Kills synchronously. All kills at an exit share one survey, which is taken if one of them needs it. */
export type KillNow = (seen: () => Survey) => void

export interface Here {
  readonly surveys: Surveys
  readonly watch: Watch
  readonly withMark: WithMark
  readonly leftOpen: () => ReadonlyArray<number>
  /** Starting a process blocks this one for milliseconds, so one server starts in each turn of the event loop. */
  readonly starting: Semaphore.Semaphore
  /** Numbers the connections, to tell their tags apart. */
  readonly nextConnection: () => number
  /** Whether the one sweep of this process is still to begin: true once. */
  readonly mayBeginSweep: () => boolean
  /** Calls `kill` if this process exits without running finalizers, until the returned function is called. */
  readonly killAtExit: (kill: KillNow) => () => void
}

const makeKillAtExit = (): Here["killAtExit"] => {
  const kills = new Set<KillNow>()
  let isHooked = false
  // The only hook, and it stays: a listener for each server would exceed the number that Node warns about.
  const hook = () => {
    isHooked = true
    process.on("exit", () => {
      let seen: Survey | undefined
      for (const kill of kills) kill(() => (seen ??= surveyNow()))
    })
  }
  return (kill) => {
    if (!isHooked) hook()
    kills.add(kill)
    return () => void kills.delete(kill)
  }
}

export const makeThisProcess = (): Here => {
  let [connections, isSwept] = [0, false]
  return {
    surveys: makeSurveys(),
    watch: makeWatch(),
    withMark: makeWithMark(),
    leftOpen: makeLeftOpenLately(),
    starting: Semaphore.makeUnsafe(1),
    nextConnection: () => ++connections,
    mayBeginSweep: () => {
      const may = !isSwept
      isSwept = true
      return may
    },
    killAtExit: makeKillAtExit()
  }
}

export class ThisProcess extends Context.Reference<Here>("mcp-live/system/ThisProcess", {
  defaultValue: makeThisProcess
}) {}
