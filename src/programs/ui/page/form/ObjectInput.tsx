/** The members of an object: those that the schema names, and others that a person names. */
import { emptyDraft, nextKey, type Draft, type DraftOf } from "./Draft.ts"
import { placeIn } from "./entered.ts"
import { fieldOf, type FieldOf } from "./Field.ts"
import type { FieldProps } from "./FieldProps.ts"
import { fieldId, useField } from "./FormContext.ts"

export const ObjectInput = ({
  draft,
  field,
  onDraft,
  place
}: Pick<FieldProps, "onDraft" | "place"> & {
  readonly field: FieldOf<"object">
  readonly draft: DraftOf<"object">
}) => {
  const { Inner, isDisabled } = useField(place)
  const schema = field.others === false ? {} : field.others
  // Names that nothing is said about would only invite mistakes, unless there are no others.
  const isOpen =
    field.others !== false && (Object.keys(field.others).length > 0 || field.members.length === 0) && place !== ""
  const other = fieldOf(schema)
  const put = (name: string, next: Draft) => onDraft({ ...draft, members: new Map([...draft.members, [name, next]]) })
  const putOther = (key: number, change: { readonly name?: string; readonly draft?: Draft }) =>
    onDraft({ ...draft, others: draft.others.map((one) => (one.key === key ? { ...one, ...change } : one)) })
  return (
    <div class="members">
      {field.members.map(({ isRequired, name, schema: own }) => (
        <Inner
          key={name}
          label={name}
          field={fieldOf(own)}
          draft={draft.members.get(name) ?? { kind: "unset" }}
          place={placeIn(place, name)}
          isRequired={isRequired}
          onDraft={(next) => put(name, next)}
        />
      ))}
      {draft.others.map(({ draft: given, key, name }) => {
        const otherPlace = placeIn(place, `+${key}`)
        return (
          <div key={`+${key}`} class="other">
            <OtherName
              place={otherPlace}
              name={name}
              isDisabled={isDisabled}
              onName={(next) => putOther(key, { name: next })}
              onRemove={() => onDraft({ ...draft, others: draft.others.filter((one) => one.key !== key) })}
            />
            <Inner
              label={name === "" ? "value" : name}
              field={other}
              draft={given}
              place={otherPlace}
              isRequired
              onDraft={(next) => putOther(key, { draft: next })}
            />
          </div>
        )
      })}
      {isOpen ? (
        <button
          type="button"
          disabled={isDisabled}
          onClick={() => {
            const added = { key: nextKey(draft.others), name: "", draft: emptyDraft(other, true) }
            onDraft({ ...draft, others: [...draft.others, added] })
          }}
        >
          Add a member
        </button>
      ) : null}
    </div>
  )
}

const OtherName = (props: {
  readonly place: string
  readonly name: string
  readonly isDisabled: boolean
  readonly onName: (name: string) => void
  readonly onRemove: () => void
}) => {
  const { isDisabled, name, onName, onRemove, place } = props
  const id = fieldId("name", useField(place).id)
  return (
    <div class="entry-head">
      <label htmlFor={id}>Name</label>
      <input
        id={id}
        value={name}
        disabled={isDisabled}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
      <button type="button" disabled={isDisabled} onClick={onRemove}>
        Remove<span class="hidden-text"> {name === "" ? "this member" : name}</span>
      </button>
    </div>
  )
}
