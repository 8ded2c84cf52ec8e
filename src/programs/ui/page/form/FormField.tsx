/** The field of one value, of whatever kind. */
import { useEffect, useRef } from "preact/hooks"
import { ChoiceInput, ChoicesInput, FlagInput } from "./choiceInputs.tsx"
import { blankDraft, draftOf, UNSET, type Draft } from "./Draft.ts"
import type { Field } from "./Field.ts"
import { placeIn } from "./entered.ts"
import type { FieldProps } from "./FieldProps.ts"
import { useField } from "./FormContext.ts"
import { Labelled } from "./Labelled.tsx"
import { ListInput } from "./ListInput.tsx"
import { ObjectInput } from "./ObjectInput.tsx"
import { OptionsInput } from "./OptionsInput.tsx"
import { RawInput, TextInput } from "./textInputs.tsx"

/** One element takes the value, and without one nothing is sent. */
const isSimple = ({ kind }: Field): boolean =>
  kind === "text" || kind === "number" || kind === "flag" || kind === "choice"

const Input = (props: FieldProps) => {
  const { draft, field } = props
  if (draft.kind === "raw") return <RawInput {...props} text={draft.text} />
  switch (field.kind) {
    case "text":
    case "number":
      return <TextInput {...props} field={field} text={draft.kind === "text" ? draft.text : ""} />
    case "flag":
      return <FlagInput {...props} />
    case "choice":
      return <ChoiceInput {...props} field={field} />
    case "choices":
      return draft.kind === "choices" ? <ChoicesInput {...props} field={field} draft={draft} /> : null
    case "object":
      return draft.kind === "object" ? <ObjectInput {...props} field={field} draft={draft} /> : null
    case "list":
      return draft.kind === "list" ? <ListInput {...props} field={field} draft={draft} /> : null
    case "options":
      return draft.kind === "option" ? <OptionsInput {...props} field={field} draft={draft} /> : null
    case "json":
      return null
  }
}

const FOCUSABLE = "input, textarea, select, button"

export const FormField = (props: FieldProps) => {
  const { draft, field, isRequired, label, onDraft, place } = props
  const { isDisabled } = useField(place)
  const box = useRef<HTMLDivElement>(null)
  const moved = useRef(false)
  useEffect(() => {
    // What was added or taken away takes the focus that its button had.
    if (!moved.current) return
    moved.current = false
    const inside = box.current?.querySelector<HTMLElement>(`.entry-body :is(${FOCUSABLE})`)
    ;(inside ?? box.current?.querySelector<HTMLElement>(FOCUSABLE))?.focus()
  })
  const change = (next: Draft) => {
    moved.current = true
    onDraft(next)
  }
  const isLeftOut = draft.kind === "unset" && !isSimple(field)
  const isGroup = draft.kind === "unset" ? !isSimple(field) : draft.kind !== "raw" && !isSimple(field)
  // The field of the chosen kind has the place itself.
  const ownPlace = draft.kind === "option" ? placeIn(place, "kind") : place
  const named = <span class="hidden-text"> {label}</span>
  const readable = draft.kind === "raw" && field.kind !== "json" ? readBack(field, draft.text) : undefined
  const actions = (
    <span class="entry-actions">
      {isLeftOut ? (
        <button type="button" disabled={isDisabled} onClick={() => change(blankDraft(field))}>
          Add{named}
        </button>
      ) : !isRequired && !isSimple(field) ? (
        <button type="button" disabled={isDisabled} onClick={() => change(UNSET)}>
          Leave out{named}
        </button>
      ) : null}
      {draft.kind === "raw" && field.kind !== "json" ? (
        <button
          type="button"
          disabled={isDisabled || readable === undefined}
          onClick={() => readable !== undefined && change(readable)}
        >
          As a field{named}
        </button>
      ) : null}
    </span>
  )
  return (
    <div ref={box}>
      <Labelled {...{ label, field, isRequired, isGroup, actions }} place={ownPlace}>
        <div class="entry-body">
          <Input {...props} />
        </div>
      </Labelled>
    </div>
  )
}

/** `undefined` when the text is not JSON, or none that the field can show. */
const readBack = (field: Field, text: string): Draft | undefined => {
  if (text.trim() === "") return blankDraft(field)
  try {
    const draft = draftOf(field, JSON.parse(text))
    return draft.kind === "raw" ? undefined : draft
  } catch {
    return undefined
  }
}
