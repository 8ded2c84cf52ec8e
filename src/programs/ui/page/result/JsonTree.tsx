/** A value as a tree that opens level by level. What is closed is not in the document, so that large values stay fast. */
import { useState } from "preact/hooks"
import { isObject, type Json } from "../../../../schemas/data/Json.ts"
import { ServerText } from "../text/ServerText.tsx"

const CHILDREN_MAX = 100
const OPEN_DEPTH = 2
const OPEN_CHILDREN = 20

type Child = readonly [name: string, value: Json]

const childrenOf = (value: Json): ReadonlyArray<Child> | undefined =>
  Array.isArray(value)
    ? value.map((item: Json, index) => [String(index), item] as const)
    : isObject(value)
      ? (Object.entries(value) as ReadonlyArray<Child>)
      : undefined

const sizeOf = (value: Json, count: number): string =>
  Array.isArray(value)
    ? `[${count} ${count === 1 ? "item" : "items"}]`
    : `{${count} ${count === 1 ? "member" : "members"}}`

const Leaf = ({ value }: { readonly value: Json }) => (
  <span class="tree-leaf" data-type={value === null ? "null" : typeof value}>
    {typeof value === "string" ? <ServerText text={value} isInline /> : JSON.stringify(value)}
  </span>
)

const Name = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? null : (
    <>
      <span class="tree-name">
        <ServerText text={name} isInline />
      </span>
      {": "}
    </>
  )

const Node = ({ depth, name, value }: { readonly depth: number; readonly name?: string; readonly value: Json }) => {
  const children = childrenOf(value)
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && (children?.length ?? 0) <= OPEN_CHILDREN)
  const [shown, setShown] = useState(CHILDREN_MAX)
  if (children === undefined || children.length === 0) {
    return (
      <li>
        <Name name={name} />
        {children === undefined ? <Leaf value={value} /> : <span class="quiet">{sizeOf(value, 0)}</span>}
      </li>
    )
  }
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Name name={name} />
          <span class="quiet">{sizeOf(value, children.length)}</span>
        </summary>
        {isOpen ? (
          <ul>
            {children.slice(0, shown).map(([key, child]) => (
              <Node key={key} depth={depth + 1} name={key} value={child} />
            ))}
            {children.length > shown ? (
              <li>
                <button type="button" onClick={() => setShown(shown + CHILDREN_MAX)}>
                  Show {Math.min(CHILDREN_MAX, children.length - shown)} of the other {children.length - shown}
                </button>
              </li>
            ) : null}
          </ul>
        ) : null}
      </details>
    </li>
  )
}

export const JsonTree = ({ label, value }: { readonly label: string; readonly value: Json }) => (
  <ul class="tree" aria-label={label}>
    <Node depth={0} value={value} />
  </ul>
)
