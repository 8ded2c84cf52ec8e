/** The view Configuration: the file, what an edit would change, and forms for more servers. Saved only when it is valid. */
import { useMemo, useRef, useState } from "preact/hooks"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { useStore } from "../../store/context.ts"
import { useKept } from "../../store/useKept.ts"
import { AddServer } from "./AddServer.tsx"
import { makeDraft } from "./draft.ts"
import { Editor } from "./Editor.tsx"
import { FileState } from "./FileState.tsx"
import { HelpPanel } from "./HelpPanel.tsx"
import { ImportServers } from "./ImportServers.tsx"
import { Meaning } from "./Meaning.tsx"
import { Newer } from "./Newer.tsx"
import { lineOf, startOfLine } from "./place.ts"
import { byLine, nextLine } from "./problems.ts"
import { SaveBar } from "./SaveBar.tsx"

const NONE = new Map()
type Form = "add" | "import" | undefined

export const Configuration = () => {
  const { mayChange } = useStore()
  const draft = useKept("configuration draft", makeDraft)
  const area = useRef<HTMLTextAreaElement>(null)
  const save = useRef<HTMLButtonElement>(null)
  const [cursor, setCursor] = useState(0)
  const [form, setForm] = useState<Form>(undefined)
  const file = draft.file.value
  const text = draft.text.value
  const problems = draft.checked.value?.problems
  const marks = useMemo(
    () => (problems === undefined ? NONE : byLine(problems, text.split("\n").length)),
    [problems, text]
  )
  // A text of one's own may take the place of a file that cannot be shown.
  const isLocked = file?.locked !== undefined && !draft.isEdited.value
  const isReadOnly = !mayChange.value || isLocked

  const goToLine = (line: number) => {
    const at = startOfLine(draft.text.value, line)
    area.current?.focus()
    area.current?.setSelectionRange(at, at)
    setCursor(at)
  }
  const goToNext = () => {
    const next = nextLine(marks.keys(), lineOf(draft.text.value, area.current?.selectionStart ?? 0))
    if (next !== undefined) goToLine(next)
  }
  const insertKey = (name: string) => {
    area.current?.focus()
    document.execCommand("insertText", false, `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: `)
  }
  const take = (next: string) => {
    draft.edit(next)
    setForm(undefined)
    area.current?.focus()
  }
  const toggle = (which: Form) => () => setForm(form === which ? undefined : which)

  return (
    <>
      <ViewHead title="Configuration" about={file?.path}>
        {isReadOnly || file === undefined ? null : (
          <>
            <button type="button" aria-expanded={form === "add"} onClick={toggle("add")}>
              Add a server…
            </button>
            <button type="button" aria-expanded={form === "import"} onClick={toggle("import")}>
              Import…
            </button>
          </>
        )}
      </ViewHead>
      {file === undefined ? (
        <p class="quiet" role="status">
          {draft.told.value?.kind === "failed" ? draft.told.value.words : "Reading the file…"}
        </p>
      ) : (
        <>
          <FileState file={file} />
          {form === "add" ? <AddServer text={text} onText={take} onClose={() => setForm(undefined)} /> : null}
          {form === "import" ? <ImportServers text={text} onText={take} onClose={() => setForm(undefined)} /> : null}
          <Newer draft={draft} isReadOnly={isReadOnly} />
          {isLocked && text === "" ? null : (
            <div class="configuration">
              <div>
                <Editor
                  area={area}
                  text={text}
                  isReadOnly={isReadOnly}
                  problems={marks}
                  describedBy="configuration-problems"
                  onText={draft.edit}
                  onCursor={setCursor}
                  onSave={() => save.current?.click()}
                  onNext={goToNext}
                />
                {isReadOnly ? null : <SaveBar draft={draft} button={save} />}
              </div>
              <div class="configuration-side">
                <Meaning draft={draft} problems={marks} onLine={goToLine} onNext={goToNext} />
                <HelpPanel
                  text={text}
                  schema={file.schema}
                  cursor={cursor}
                  onKey={isReadOnly ? undefined : insertKey}
                />
              </div>
            </div>
          )}
        </>
      )}
    </>
  )
}
