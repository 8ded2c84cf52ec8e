/** What waits of one server, with one decision for all of it. */
import { useState } from "preact/hooks"
import type { PinsChange } from "../../../../../schemas/control/PinsChange.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { ServerText } from "../../text/ServerText.tsx"
import { Change } from "./Change.tsx"
import { approvable, changeKey, type Deciding, type ServerChanges } from "./grouped.ts"
import { Launches } from "./Differences.tsx"

const ApproveAll = ({
  changes,
  isBusy,
  name,
  onDecide
}: Omit<Deciding, "mayChange"> & {
  readonly changes: ReadonlyArray<PinsChange>
  readonly name: string
}) => {
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => setAsked(true)}>
        Approve all {changes.length}
        <span class="hidden-text"> of {name}</span>
      </button>
      {isAsked ? (
        <Dialog title={`Approve ${changes.length} definitions of ${name}?`} onClose={() => setAsked(false)}>
          <p>Agents get these tools exactly as they are shown on this page:</p>
          <ul class="names">
            {changes.map((change) => (
              <li key={changeKey(change)}>
                <ServerText text={change.shownTool} isInline />
              </li>
            ))}
          </ul>
          <button
            type="button"
            class="main"
            onClick={() => {
              setAsked(false)
              onDecide(changes, "approve")
            }}
          >
            Approve all
          </button>
        </Dialog>
      ) : null}
    </>
  )
}

export const ServerPins = ({ server, ...deciding }: Deciding & { readonly server: ServerChanges }) => {
  const { changes, isOlder, shownServer } = server
  const all = approvable(changes)
  const launches = changes.find((change) => change.launches !== undefined)?.launches
  return (
    <section class="pins-server" aria-label={shownServer}>
      <header class="pins-head">
        <h2>
          <ServerText text={shownServer} isInline />{" "}
          <span class="quiet">
            {changes.length === 1 ? "1 definition" : `${changes.length} definitions`}
            {isOlder ? ", an older way to start it" : ""}
          </span>
        </h2>
        {deciding.mayChange && all.length > 1 ? <ApproveAll {...deciding} changes={all} name={shownServer} /> : null}
      </header>
      {launches === undefined ? null : <Launches {...launches} of={shownServer} />}
      {changes.map((change) => (
        <Change key={changeKey(change)} change={change} {...deciding} />
      ))}
    </section>
  )
}
