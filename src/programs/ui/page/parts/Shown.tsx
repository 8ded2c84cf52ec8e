/** Shows a view; its code is loaded when it is needed first. */
import type { ComponentType } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { ViewName } from "../router.ts"
import { VIEW_ENTRIES } from "../views/views.ts"

export const Shown = ({ view }: { readonly view: ViewName }) => {
  const [loaded, setLoaded] = useState<{ readonly view: ViewName; readonly View: ComponentType | undefined }>()
  useEffect(() => {
    let isWanted = true
    const put = (View: ComponentType | undefined) => {
      if (isWanted) setLoaded({ view, View })
    }
    VIEW_ENTRIES[view].load().then(put, () => put(undefined))
    return () => {
      isWanted = false
    }
  }, [view])
  // Whoever went to another view reads on at its heading; the first one takes nothing away from whoever is in the address bar.
  const isFirst = useRef(true)
  const shown = loaded?.view
  // At once: later, it would take the focus away from whoever has begun to write.
  useLayoutEffect(() => {
    if (shown === undefined) return
    if (!isFirst.current) document.getElementById("view-title")?.focus()
    isFirst.current = false
  }, [shown])
  if (loaded === undefined || loaded.view !== view) return <p class="quiet">Loading…</p>
  const { View } = loaded
  // The gateway is another version now, or gone: what this page was built of is not there any more.
  return View === undefined ? <p>This part of the page could not be loaded: reload the page.</p> : <View />
}
