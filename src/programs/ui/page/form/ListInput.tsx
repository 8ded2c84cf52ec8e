/** The items of a list: added at the end, taken away, moved by one. */
import { useRef } from "preact/hooks"
import { emptyDraft, itemSchema, nextKey, type DraftOf, type Item } from "./Draft.ts"
import { placeIn } from "./entered.ts"
import { fieldOf, type FieldOf } from "./Field.ts"
import type { FieldProps } from "./FieldProps.ts"
import { useField } from "./FormContext.ts"

const swapped = (items: ReadonlyArray<Item>, index: number): ReadonlyArray<Item> =>
  items.map((item, at) => (at === index ? items[index - 1]! : at === index - 1 ? items[index]! : item))

export const ListInput = ({
  draft: { items },
  field,
  label,
  onDraft,
  place
}: Omit<FieldProps, "field" | "draft"> & { readonly field: FieldOf<"list">; readonly draft: DraftOf<"list"> }) => {
  const { Inner, isDisabled } = useField(place)
  const add = useRef<HTMLButtonElement>(null)
  const next = itemSchema(field, items.length)
  const put = (changed: ReadonlyArray<Item>) => onDraft({ kind: "list", items: changed })
  return (
    <>
      {items.length === 0 ? <p class="quiet">No items.</p> : null}
      <ol class="items">
        {items.map(({ draft, key }, index) => {
          const named = (
            <span class="hidden-text">
              {" "}
              item {index + 1} of {label}
            </span>
          )
          return (
            <li key={key}>
              <Inner
                label={`${index + 1}`}
                field={fieldOf(itemSchema(field, index) ?? {})}
                draft={draft}
                place={placeIn(place, index)}
                isRequired
                onDraft={(changed) => put(items.map((item) => (item.key === key ? { key, draft: changed } : item)))}
              />
              <span class="item-actions">
                {index < Math.max(1, field.first.length) ? null : (
                  <button type="button" disabled={isDisabled} onClick={() => put(swapped(items, index))}>
                    ↑<span class="hidden-text">Move up</span>
                    {named}
                  </button>
                )}
                <button
                  type="button"
                  disabled={isDisabled}
                  onClick={() => {
                    put(items.filter((item) => item.key !== key))
                    add.current?.focus()
                  }}
                >
                  ✕<span class="hidden-text">Remove</span>
                  {named}
                </button>
              </span>
            </li>
          )
        })}
      </ol>
      {next === undefined ? null : (
        <button
          type="button"
          ref={add}
          disabled={isDisabled}
          onClick={() => put([...items, { key: nextKey(items), draft: emptyDraft(fieldOf(next), true) }])}
        >
          Add an item<span class="hidden-text"> to {label}</span>
        </button>
      )}
    </>
  )
}
