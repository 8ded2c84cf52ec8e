/** The state of a server: a word, a colour, and a shape that says the same without colour. */
import type { StateSpan } from "../../../../schemas/control/History.ts"

export type StateName = StateSpan["state"]

const STATES: Readonly<Record<StateName, { readonly word: string; readonly shape: string }>> = {
  Ready: { word: "ready", shape: "●" },
  Connecting: { word: "connecting", shape: "◐" },
  Backoff: { word: "backoff", shape: "▲" },
  Failed: { word: "failed", shape: "■" },
  Idle: { word: "idle", shape: "○" },
  Disabled: { word: "disabled", shape: "–" },
  Closed: { word: "stopped", shape: "□" }
}

export const stateWord = (state: StateName): string => STATES[state].word

export const StateBadge = ({ state }: { readonly state: StateName }) => (
  <span class="badge" data-state={state}>
    <span aria-hidden="true">{STATES[state].shape}</span> {STATES[state].word}
  </span>
)
