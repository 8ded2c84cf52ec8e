/** Keys that work on the whole page: `g` and a letter lead to a view, `/` to the search, `?` to the help. Never while somebody writes. */
import { VIEWS, type ViewName } from "./router.ts"
import { VIEW_ENTRIES } from "./views/views.ts"

/** How long `g` waits for its letter. */
const WAITS_MS = 1_500

export interface KeyActions {
  readonly go: (view: ViewName) => void
  readonly help: () => void
}

/** As a browser has it. */
type BrowserWindow = Window & Pick<typeof globalThis, "HTMLElement">

const isWriting = ({ HTMLElement }: BrowserWindow, target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

/** Returns how to end it. */
export const listenToKeys = (window: BrowserWindow, { go, help }: KeyActions): (() => void) => {
  // Never: the clock of events begins with the page.
  let goes = Number.NEGATIVE_INFINITY
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(window, event.target)) return
    const isSecond = event.timeStamp - goes < WAITS_MS
    goes = Number.NEGATIVE_INFINITY
    if (isSecond) {
      const view = VIEWS.find((name) => VIEW_ENTRIES[name].key === event.key)
      if (view !== undefined) go(view)
    } else if (event.key === "g") {
      goes = event.timeStamp
    } else if (event.key === "?") {
      help()
    } else if (event.key === "/") {
      const field = window.document.querySelector<HTMLElement>("[data-search]")
      if (field === null) return
      event.preventDefault()
      field.focus()
    }
  }
  window.addEventListener("keydown", onKey)
  return () => window.removeEventListener("keydown", onKey)
}
