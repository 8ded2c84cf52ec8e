/** A question before something that ends calls or cannot be taken back. Escape means no. */
import type { ComponentChildren } from "preact"
import { Dialog } from "./Dialog.tsx"

interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** What the button does. */
  readonly yes: string
  readonly onYes: () => void
  readonly onNo: () => void
}

export const Confirm = ({ children, onNo, onYes, title, yes }: ConfirmProps) => (
  <Dialog title={title} onClose={onNo}>
    {children}
    <div class="actions">
      <button type="button" class="danger" onClick={onYes}>
        {yes}
      </button>
      <button type="button" onClick={onNo}>
        Cancel
      </button>
    </div>
  </Dialog>
)
