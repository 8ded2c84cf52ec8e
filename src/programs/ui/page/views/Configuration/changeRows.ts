/** What a change of the configuration does to the gateway that runs, for a person who is about to save it. */
import type { ConfigChange } from "../../../../../schemas/config/ConfigChange.ts"

export interface ChangeRow {
  readonly what: string
  readonly names: ReadonlyArray<string>
  /** Whether calls that are under way there end. */
  readonly interrupts: boolean
}

/** What interrupts is first; nothing if nothing changes. */
export const changeRows = (change: ConfigChange): ReadonlyArray<ChangeRow> =>
  [
    { what: "Stops", names: change.stopped, interrupts: true },
    { what: "Starts over", names: change.restarted, interrupts: true },
    { what: "Starts", names: change.started, interrupts: false },
    { what: "Changes while it runs", names: change.inPlace, interrupts: false },
    { what: "Counts only when the gateway is started again", names: change.needsRestart, interrupts: false }
  ].filter(({ names }) => names.length > 0)

/** One sentence, also for a screen reader. */
export const changeSentence = (change: ConfigChange): string => {
  const rows = changeRows(change)
  if (rows.length === 0) return "Nothing changes for the servers."
  return `${rows.map(({ names, what }) => `${what}: ${names.join(", ")}.`).join(" ")}`
}

export const interrupted = (change: ConfigChange): ReadonlyArray<string> =>
  changeRows(change).flatMap(({ interrupts, names }) => (interrupts ? names : []))
