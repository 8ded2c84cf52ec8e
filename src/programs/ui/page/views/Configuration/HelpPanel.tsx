/** What belongs where the cursor is, from the JSON Schema, and the keys that could be added there. */
import { useMemo } from "preact/hooks"
import { formatKeyPath } from "../../../../../schemas/config/KeyPath.ts"
import { placeAt } from "./place.ts"
import { helpAt, keysAt } from "./schemaHelp.ts"

interface HelpPanelProps {
  readonly text: string
  readonly schema: unknown
  readonly cursor: number
  /** Writes a key at the cursor. Without it, the text is only read. */
  readonly onKey: ((name: string) => void) | undefined
}

export const HelpPanel = ({ cursor, onKey, schema, text }: HelpPanelProps) => {
  const place = useMemo(() => placeAt(text, cursor), [text, cursor])
  const help = helpAt(schema, place.path)
  const { around, at } = place
  const isBetween = at === "key" && around?.path.length === place.path.length
  const keys = around === undefined ? [] : keysAt(schema, around.path, around.keys)
  const path = formatKeyPath(place.path)
  return (
    <section class="panel" aria-labelledby="help-title">
      <h2 id="help-title">Help at the cursor</h2>
      <p>
        <code>{path === "" ? "the whole file" : path}</code>
      </p>
      {help.isKnown ? (
        <>
          {help.about === "" ? null : <p>{help.about}</p>}
          <dl class="fact-list">
            {help.type === "" ? null : (
              <div>
                <dt>Type</dt>
                <dd>{help.type}</dd>
              </div>
            )}
            {help.allowed.length === 0 ? null : (
              <div>
                <dt>Values</dt>
                <dd>
                  <code>{help.allowed.join(" ")}</code>
                </dd>
              </div>
            )}
            {help.fallback === undefined ? null : (
              <div>
                <dt>Default</dt>
                <dd>
                  <code>{help.fallback}</code>
                </dd>
              </div>
            )}
          </dl>
        </>
      ) : (
        <p class="quiet">No such key is known here.</p>
      )}
      {keys.length === 0 ? null : (
        <details open={isBetween}>
          <summary>
            Keys that can be added to {around?.path.length === 0 ? "the file" : formatKeyPath(around!.path)}
          </summary>
          <dl class="key-help">
            {keys.map(({ about, name, type }) => (
              <div key={name}>
                <dt>
                  {onKey === undefined || !isBetween ? (
                    <code>{name}</code>
                  ) : (
                    <button type="button" class="link" title="Write it at the cursor" onClick={() => onKey(name)}>
                      <code>{name}</code>
                    </button>
                  )}{" "}
                  <span class="quiet">{type}</span>
                </dt>
                <dd>{about}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  )
}
