/** One definition: what was approved, what the server says now, and the decision. */
import type { PinsChange } from "../../../../../schemas/control/PinsChange.ts"
import { ServerText } from "../../text/ServerText.tsx"
import { Differences } from "./Differences.tsx"
import { mayApprove, notesOf, type Deciding } from "./grouped.ts"

const TONES: Readonly<Record<PinsChange["status"], string>> = {
  changed: "warn",
  new: "busy",
  approved: "good",
  gone: "idle",
  rejected: "bad"
}

const HASH_CHARS = 12

const dated = (at: number): string => new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })

const History = ({ change: { current, kept } }: { readonly change: PinsChange }) => (
  <p class="quiet">
    {kept === undefined ? (
      "Never approved"
    ) : (
      <>
        Approved {dated(kept.at)} as <code>{kept.hash.slice(0, HASH_CHARS)}</code>
      </>
    )}
    {current === undefined ? (
      "."
    ) : (
      <>
        ; seen {dated(current.at)} as <code>{current.hash.slice(0, HASH_CHARS)}</code>.
      </>
    )}
  </p>
)

export const Change = ({ change, isBusy, mayChange, onDecide }: Deciding & { readonly change: PinsChange }) => {
  const { shownTool, status } = change
  const named = <span class="hidden-text"> {shownTool}</span>
  return (
    <article class="pins-change" aria-label={shownTool}>
      <header class="pins-head">
        <h3>
          <ServerText text={shownTool} isInline />{" "}
          <span class="badge" data-tone={TONES[status]}>
            {status}
          </span>
        </h3>
        {mayChange ? (
          <div class="actions">
            {mayApprove(change) ? (
              <button type="button" class="approve" disabled={isBusy} onClick={() => onDecide([change], "approve")}>
                Approve{named}
              </button>
            ) : null}
            {status === "rejected" ? null : (
              <button type="button" class="reject" disabled={isBusy} onClick={() => onDecide([change], "reject")}>
                Reject{named}
              </button>
            )}
          </div>
        ) : null}
      </header>
      <History change={change} />
      {notesOf(change).map((note) => (
        <p key={note}>
          <ServerText text={note} isInline />
        </p>
      ))}
      <Differences change={change} />
    </article>
  )
}
