/** A dialog over the page: the browser keeps the focus in it, Escape closes it, and the focus returns to where it was. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

export const Dialog = ({
  children,
  onClose,
  title
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    box.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={box} class="dialog" aria-labelledby="dialog-title" onClose={onClose}>
      <header>
        <h2 id="dialog-title">{title}</h2>
        <button type="button" onClick={() => box.current?.close()}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  )
}
