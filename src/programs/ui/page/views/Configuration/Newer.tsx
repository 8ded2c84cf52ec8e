/** The file has become another one while somebody was writing: what differs, and which of the two counts. */
import { useMemo } from "preact/hooks"
import type { Draft } from "./draft.ts"
import { lineDiff, shortDiff } from "./lineDiff.ts"

const SIGNS = { same: " ", gone: "−", new: "+" } as const
const NAMES = { same: "", gone: "only in the file: ", new: "only in your text: " } as const

export const Newer = ({ draft, isReadOnly }: { readonly draft: Draft; readonly isReadOnly: boolean }) => {
  const newer = draft.newer.value
  const text = draft.text.value
  const lines = useMemo(() => (newer === undefined ? [] : shortDiff(lineDiff(newer.text, text))), [newer, text])
  if (newer === undefined || isReadOnly) return null
  return (
    <section class="panel warn" aria-labelledby="newer-title" role="alert">
      <h2 id="newer-title">The file has changed meanwhile</h2>
      <p>Somebody else has saved another text. Yours is still here, and is not saved until you choose.</p>
      <pre class="diff" tabIndex={0} role="group" aria-label="What differs between the file and your text">
        {lines.map((line, i) =>
          line === undefined ? (
            <span key={i} class="quiet">
              {"⋯\n"}
            </span>
          ) : (
            <span key={i} class={`diff-${line.kind}`}>
              <span aria-hidden="true">{SIGNS[line.kind]} </span>
              <span class="hidden-text">{NAMES[line.kind]}</span>
              {line.text}
              {"\n"}
            </span>
          )
        )}
      </pre>
      <div class="actions">
        <button type="button" onClick={draft.takeNewer}>
          Take the file, drop my text
        </button>
        <button type="button" onClick={draft.keepMine}>
          Keep my text, to save it over the file
        </button>
      </div>
    </section>
  )
}
