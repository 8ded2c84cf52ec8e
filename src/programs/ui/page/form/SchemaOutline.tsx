/** A schema to read: what each value is called, what it may be, and what it means; the JSON of it is one step further. */
import type { Json } from "../../../../schemas/data/Json.ts"
import { JsonTree } from "../result/JsonTree.tsx"
import { ServerText } from "../text/ServerText.tsx"
import { rootFieldOf } from "./Field.ts"
import { outlineOf, type OutlineRow } from "./outline.ts"

const Row = ({ row: { about, depth, isRequired, name, notes, type } }: { readonly row: OutlineRow }) => (
  <tr>
    <th scope="row" data-depth={Math.min(depth, 8)}>
      <ServerText text={name} isInline />
      {isRequired ? (
        <span class="required" title="required">
          *<span class="hidden-text"> required</span>
        </span>
      ) : null}
    </th>
    <td>
      <code>
        <ServerText text={type} isInline />
      </code>
    </td>
    <td>
      {about === undefined ? null : <ServerText text={about} />}
      {notes.length === 0 ? null : (
        <p class="quiet">
          <ServerText text={notes.join("; ")} isInline />
        </p>
      )}
    </td>
  </tr>
)

export const SchemaOutline = ({ schema, title }: { readonly title: string; readonly schema: object }) => {
  const { isCut, rows } = outlineOf(rootFieldOf(schema))
  return (
    <details class="outline">
      <summary>
        {title} <span class="quiet">{rows.length === 0 ? "none" : ""}</span>
      </summary>
      {rows.length === 0 ? null : (
        <div class="outline-scroll" tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Meaning</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <Row key={index} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isCut ? <p class="quiet">There is more: the JSON has all of it.</p> : null}
      <details>
        <summary>As JSON</summary>
        <JsonTree label={`${title} as JSON`} value={schema as Json} />
      </details>
    </details>
  )
}
