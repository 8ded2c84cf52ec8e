/** Tells people who do not see the page what waits for them, from whichever view is shown. */
import { useComputed } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { some } from "../format.ts"
import { useRouter, useStore } from "../store/context.ts"
import { VIEW_ENTRIES } from "../views/views.ts"

export const Announcer = () => {
  const { questions } = useStore()
  const { route } = useRouter()
  const words = useComputed(() =>
    questions.value.length === 0
      ? ""
      : `${some(questions.value.length, "question")} ${questions.value.length === 1 ? "waits" : "wait"} for you`
  )
  const title = VIEW_ENTRIES[route.value.view].title
  const open = questions.value.length
  useEffect(() => {
    document.title = `${open === 0 ? "" : `(${open}) `}${title} – mcp-live`
    return () => {
      document.title = "mcp-live"
    }
  }, [open, title])
  return (
    <div class="hidden-text" role="status" aria-live="polite">
      {words}
    </div>
  )
}
