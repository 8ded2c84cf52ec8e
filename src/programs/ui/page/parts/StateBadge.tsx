/** The state of a server: a word, a colour, and a shape that says the same without colour. */
import { type ServerStatus, stateWords } from "../../../../schemas/connection/ServerState.ts"
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

/** `of`: the status of a server; one that waits for a person is not shown as one that failed. */
export const StateBadge = ({ of }: { readonly of: Pick<ServerStatus, "state" | "waits"> }) => {
  const look = of.waits === undefined ? of.state : of.waits === "login" ? "Backoff" : "Disabled"
  return (
    <span class="badge" data-state={look}>
      <span aria-hidden="true">{STATES[look].shape}</span> {of.waits === undefined ? STATES[look].word : stateWords(of)}
    </span>
  )
}
