/** Saves the text, or drops it. What a save would interrupt is asked about first. */
import type { RefObject } from "preact"
import { useState } from "preact/hooks"
import { Confirm } from "../../parts/Confirm.tsx"
import { changeSentence, interrupted } from "./changeRows.ts"
import type { Draft, Told } from "./draft.ts"

const Outcome = ({ told }: { readonly told: Told | undefined }) => {
  if (told === undefined) return null
  if (told.kind === "failed") return <span class="bad-text">Not saved: {told.words}</span>
  if (told.kind === "unsure") {
    return (
      <span class="bad-text">The connection was lost before the gateway answered. The text may have been saved.</span>
    )
  }
  const { backup, fault, reloaded } = told.saved
  return (
    <>
      <span class={fault === undefined ? "good-text" : "bad-text"}>
        {fault === undefined ? "Saved and applied." : `Saved, but not applied: ${fault}`}
      </span>{" "}
      {reloaded === undefined ? null : changeSentence(reloaded.change)}{" "}
      {backup === undefined ? null : <span class="quiet">What was there before is in {backup}.</span>}
    </>
  )
}

interface SaveBarProps {
  readonly draft: Draft
  readonly button: RefObject<HTMLButtonElement | null>
}

export const SaveBar = ({ button, draft }: SaveBarProps) => {
  const [asks, setAsks] = useState(false)
  const checked = draft.checked.value
  const change = checked?.change
  const names = change === undefined ? [] : interrupted(change)
  const isValid = checked !== undefined && checked.problems.length === 0
  const canSave = draft.isEdited.value && isValid && !draft.isSaving.value && draft.newer.value === undefined
  const save = () => {
    setAsks(false)
    void draft.save()
  }
  return (
    <div class="save-bar">
      <button
        ref={button}
        type="button"
        class="main"
        disabled={!canSave}
        onClick={() => (names.length > 0 ? setAsks(true) : save())}
      >
        {draft.isSaving.value ? "Saving…" : "Save"}
      </button>
      <button type="button" disabled={!draft.isEdited.value} onClick={draft.revert}>
        Undo all changes
      </button>
      <p role="status">
        <Outcome told={draft.told.value} />
      </p>
      {asks && change !== undefined ? (
        <Confirm title="Save this configuration?" yes="Save" onYes={save} onNo={() => setAsks(false)}>
          <p>{changeSentence(change)}</p>
          <p>
            Calls that are under way at {names.join(", ")} get up to 30 seconds to end; those that take longer fail.
          </p>
        </Confirm>
      ) : null}
    </div>
  )
}
