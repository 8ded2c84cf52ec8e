/** The life of a server for a person: what happened, how long it lasted, and why; the newest first. */
import type { LifeEvent } from "../../../../../schemas/control/History.ts"

export type LifeTone = "good" | "busy" | "warn" | "bad" | "idle"

export interface LifeRow {
  readonly at: number
  readonly words: string
  readonly tone: LifeTone
  readonly reason: string | undefined
  /** How long a state lasted, or has lasted. */
  readonly lastedMs: number | undefined
  /** Only where the server has several processes. */
  readonly process: number | undefined
}

type State = LifeEvent["state"]

const STATES: Readonly<Record<State, readonly [words: string, tone: LifeTone]>> = {
  Disabled: ["disabled", "idle"],
  Idle: ["not started yet", "idle"],
  Connecting: ["connecting", "busy"],
  Ready: ["ready", "good"],
  Backoff: ["waiting before it is tried again", "warn"],
  Failed: ["failed", "bad"],
  Closed: ["stopped", "idle"]
}

const wordsOf = ({ kind, state }: LifeEvent): string =>
  kind === "state" ? STATES[state][0] : kind === "restart" ? "a restart was planned" : "its process or connection ended"

export const lifeRows = (events: ReadonlyArray<LifeEvent>, now: number): ReadonlyArray<LifeRow> => {
  const isOne = new Set(events.map(({ process }) => process)).size <= 1
  /** When the next state of each process began. */
  const until = new Map<number, number>()
  return events.toReversed().map((event) => {
    const { at, kind, process, reason, state } = event
    const isState = kind === "state"
    const lastedMs = isState ? Math.max(0, (until.get(process) ?? now) - at) : undefined
    if (isState) until.set(process, at)
    return {
      at,
      words: wordsOf(event),
      tone: isState ? STATES[state][1] : kind === "exit" ? "bad" : "warn",
      reason,
      lastedMs,
      process: isOne ? undefined : process
    }
  })
}
