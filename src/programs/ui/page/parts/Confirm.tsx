/** A question before something that cannot be taken back. The browser's own dialog: it keeps the focus, and Escape means no. */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"

interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** What the button does. */
  readonly yes: string
  readonly onYes: () => void
  readonly onNo: () => void
}

export const Confirm = ({ children, onNo, onYes, title, yes }: ConfirmProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onNo}>
      <h2 id={id}>{title}</h2>
      {children}
      <div class="actions">
        <button type="button" autofocus onClick={onNo}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={onYes}>
          {yes}
        </button>
      </div>
    </dialog>
  )
}
