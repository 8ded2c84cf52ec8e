/** What is wrong with the text, or what it would change. */
import { changeRows } from "./changeRows.ts"
import type { Draft } from "./draft.ts"
import { type Problem, wordsOf } from "./problems.ts"

interface MeaningProps {
  readonly draft: Draft
  readonly problems: ReadonlyMap<number, ReadonlyArray<Problem>>
  readonly onNext: () => void
  readonly onLine: (line: number) => void
}

const Listed = ({ onLine, problem }: { readonly problem: Problem; readonly onLine: MeaningProps["onLine"] }) => (
  <li>
    {problem.line === 0 ? null : (
      <>
        <button type="button" class="link" onClick={() => onLine(problem.line)}>
          Line {problem.line}
        </button>{" "}
      </>
    )}
    {wordsOf(problem)}
  </li>
)

const Changes = ({ draft }: { readonly draft: Draft }) => {
  const change = draft.checked.value?.change
  const rows = change === undefined ? [] : changeRows(change)
  if (!draft.isEdited.value && rows.length === 0) return <p class="quiet">The text is the file, as it runs.</p>
  if (rows.length === 0) return <p>Nothing changes for the servers.</p>
  return (
    <dl class="changes">
      {rows.map(({ interrupts, names, what }) => (
        <div key={what} class={interrupts ? "interrupts" : undefined}>
          <dt>{what}</dt>
          <dd>{names.join(", ")}</dd>
        </div>
      ))}
    </dl>
  )
}

export const Meaning = ({ draft, onLine, onNext, problems }: MeaningProps) => {
  const checked = draft.checked.value
  const all = [...problems.values()].flat()
  const warnings = checked?.warnings ?? []
  return (
    <section class="panel" aria-labelledby="meaning-title">
      <h2 id="meaning-title">{all.length > 0 ? "What is wrong" : "What this would change"}</h2>
      <div id="configuration-problems" role="status">
        {checked === undefined ? (
          <p class="quiet">Checking…</p>
        ) : all.length === 0 ? (
          <Changes draft={draft} />
        ) : (
          <p>
            {all.length === 1 ? "One problem" : `${all.length} problems`}: the text cannot be saved.{" "}
            {all.every(({ line }) => line === 0) ? null : (
              <button type="button" class="link" onClick={onNext}>
                Next problem
              </button>
            )}
          </p>
        )}
      </div>
      {all.length === 0 ? null : (
        <ul class="problems">
          {all.map((problem, i) => (
            <Listed key={i} problem={problem} onLine={onLine} />
          ))}
        </ul>
      )}
      {warnings.length === 0 ? null : (
        <>
          <h3>Warnings</h3>
          <ul class="problems warnings">
            {warnings.map((problem, i) => (
              <Listed key={i} problem={problem} onLine={onLine} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
