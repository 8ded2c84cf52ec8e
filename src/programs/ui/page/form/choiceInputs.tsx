/** Fields in which something is chosen. */
import { seenParts } from "../../../../schemas/content/SpelledText.ts"
import type { Json } from "../../../../schemas/data/Json.ts"
import type { DraftOf } from "./Draft.ts"
import { UNSET } from "./Draft.ts"
import type { FieldOf } from "./Field.ts"
import type { FieldProps } from "./FieldProps.ts"
import { useField } from "./FormContext.ts"

/** In a list there is only plain text: what cannot be seen stands there as its number. */
const shown = (value: Json): string =>
  typeof value === "string" && value !== ""
    ? seenParts(value)
        .map(({ text, unseen }) => (unseen === undefined ? text : `⟨${unseen}⟩`))
        .join("")
    : JSON.stringify(value)

const NOT_GIVEN = "-1"

export const ChoiceInput = ({
  draft,
  field,
  isRequired,
  onDraft,
  place
}: Omit<FieldProps, "field"> & { readonly field: FieldOf<"choice"> }) => {
  const { described } = useField(place)
  const nothing = isRequired
    ? "Choose…"
    : field.default === undefined
      ? "left out"
      : `left out: ${shown(field.default)}`
  return (
    <select
      {...described}
      aria-required={isRequired}
      value={draft.kind === "choice" ? String(draft.index) : NOT_GIVEN}
      onChange={({ currentTarget }) => {
        const index = Number(currentTarget.value)
        onDraft(index < 0 && !isRequired ? UNSET : { kind: "choice", index })
      }}
    >
      <option value={NOT_GIVEN}>{nothing}</option>
      {field.choices.map((choice, index) => (
        <option key={index} value={String(index)}>
          {shown(choice)}
        </option>
      ))}
    </select>
  )
}

export const FlagInput = ({ draft, field, isRequired, onDraft, place }: FieldProps) => {
  const { described } = useField(place)
  if (isRequired) {
    return (
      <input
        {...described}
        type="checkbox"
        checked={draft.kind === "flag" && draft.on}
        onChange={({ currentTarget }) => onDraft({ kind: "flag", on: currentTarget.checked })}
      />
    )
  }
  return (
    <select
      {...described}
      value={draft.kind === "flag" ? String(draft.on) : ""}
      onChange={({ currentTarget: { value } }) =>
        onDraft(value === "" ? UNSET : { kind: "flag", on: value === "true" })
      }
    >
      <option value="">{field.default === undefined ? "left out" : `left out: ${String(field.default)}`}</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  )
}

export const ChoicesInput = ({
  draft,
  field,
  onDraft,
  place
}: Omit<FieldProps, "field" | "draft"> & {
  readonly field: FieldOf<"choices">
  readonly draft: DraftOf<"choices">
}) => {
  const { id, isDisabled } = useField(place)
  return (
    <ul class="checkboxes">
      {field.choices.map((choice, index) => (
        <li key={index}>
          <label>
            <input
              type="checkbox"
              id={`${id}-${index}`}
              disabled={isDisabled}
              checked={draft.indexes.includes(index)}
              onChange={({ currentTarget }) => {
                const others = draft.indexes.filter((one) => one !== index)
                onDraft({ kind: "choices", indexes: currentTarget.checked ? [...others, index] : others })
              }}
            />{" "}
            {shown(choice)}
          </label>
        </li>
      ))}
    </ul>
  )
}
