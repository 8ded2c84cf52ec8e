/**
 * A text area with line numbers, colours and marks at lines with problems. All that is painted is behind the text area and hidden from screen
 * readers: what one writes in is a plain text area, with the keys, the undo and the selection of the browser. Tab leaves it.
 */
import type { RefObject } from "preact"
import { useMemo } from "preact/hooks"
import { indentAt, linesOf } from "./lines.ts"
import type { Problem } from "./problems.ts"

interface EditorProps {
  readonly text: string
  readonly isReadOnly: boolean
  readonly problems: ReadonlyMap<number, ReadonlyArray<Problem>>
  readonly area: RefObject<HTMLTextAreaElement | null>
  /** The elements that describe the text area. */
  readonly describedBy: string
  readonly onText: (text: string) => void
  readonly onCursor: (offset: number) => void
  readonly onSave: () => void
  /** Leads to the next problem. */
  readonly onNext: () => void
}

/** Goes through the browser, so that undo knows it. */
const insert = (area: HTMLTextAreaElement, text: string): void => {
  area.focus()
  document.execCommand("insertText", false, text)
}

const Painted = ({ problems, text }: Pick<EditorProps, "problems" | "text">) => {
  const lines = useMemo(() => linesOf(text), [text])
  return (
    <pre class="editor-paint" aria-hidden="true">
      {lines.map((line, i) => (
        <span key={i} class={problems.has(i + 1) ? "editor-line bad" : "editor-line"}>
          {line.map(({ kind, text: part }, at) => (
            <span key={at} class={`ink-${kind}`}>
              {part}
            </span>
          ))}
          {"\n"}
        </span>
      ))}
    </pre>
  )
}

export const Editor = ({
  area,
  describedBy,
  isReadOnly,
  onCursor,
  onNext,
  onSave,
  onText,
  problems,
  text
}: EditorProps) => {
  const tellCursor = () => onCursor(area.current?.selectionStart ?? 0)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      onSave()
    } else if (event.key === "F8") {
      event.preventDefault()
      onNext()
    } else if (event.key === "Enter" && !isReadOnly && !event.isComposing) {
      const { selectionStart, value } = area.current!
      event.preventDefault()
      insert(area.current!, `\n${indentAt(value, selectionStart)}`)
    }
  }
  return (
    <div class="editor">
      <Painted text={text} problems={problems} />
      <textarea
        ref={area}
        id="configuration-text"
        class="editor-area"
        aria-label="The configuration file"
        aria-describedby={describedBy}
        aria-invalid={problems.size > 0}
        value={text}
        readOnly={isReadOnly}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        wrap="off"
        onInput={({ currentTarget }) => {
          onText(currentTarget.value)
          tellCursor()
        }}
        onKeyDown={onKeyDown}
        onKeyUp={tellCursor}
        onClick={tellCursor}
        onFocus={tellCursor}
      />
    </div>
  )
}
