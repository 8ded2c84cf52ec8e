/** A value that may be one of several kinds: the kind is chosen, then the value is filled in. */
import { emptyDraft, type DraftOf } from "./Draft.ts"
import { fieldOf, labelOf, type FieldOf } from "./Field.ts"
import type { FieldProps } from "./FieldProps.ts"
import { fieldId, useField } from "./FormContext.ts"

export const OptionsInput = ({
  draft: { draft, index },
  field,
  label,
  onDraft,
  place
}: Omit<FieldProps, "field" | "draft"> & { readonly field: FieldOf<"options">; readonly draft: DraftOf<"option"> }) => {
  const { id, Inner, isDisabled } = useField(place)
  const kindId = fieldId("kind", id)
  const option = field.options[index] ?? {}
  return (
    <>
      <p class="entry-head">
        <label htmlFor={kindId}>Kind</label>
        <select
          id={kindId}
          disabled={isDisabled}
          value={String(index)}
          onChange={({ currentTarget }) => {
            const chosen = Number(currentTarget.value)
            onDraft({ kind: "option", index: chosen, draft: emptyDraft(fieldOf(field.options[chosen]!), true) })
          }}
        >
          {field.options.map((one, at) => (
            <option key={at} value={String(at)}>
              {labelOf(one)}
            </option>
          ))}
        </select>
      </p>
      <Inner
        key={index}
        label={label}
        field={fieldOf(option)}
        draft={draft}
        place={place}
        isRequired
        onDraft={(next) => onDraft({ kind: "option", index, draft: next })}
      />
    </>
  )
}
