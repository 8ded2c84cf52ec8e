/** The frame of the page: where one can go, whether the gateway is there, and the view. */
import { useEffect, useState } from "preact/hooks"
import { listenToKeys } from "./keys.ts"
import { Announcer } from "./parts/Announcer.tsx"
import { Banner } from "./parts/Banner.tsx"
import { Help } from "./parts/Help.tsx"
import { Navigation } from "./parts/Navigation.tsx"
import { Shown } from "./parts/Shown.tsx"
import { viewIn } from "./router.ts"
import { useRouter, useStore } from "./store/context.ts"

export const App = () => {
  const { go, route } = useRouter()
  const store = useStore()
  const hello = store.hello.value
  const view = viewIn(hello, route.value.view)
  const [helps, setHelps] = useState(false)
  useEffect(() => listenToKeys(window, { go: (to) => go({ view: to }), help: () => setHelps(true) }), [go])
  if (store.isOut.value) {
    return (
      <main id="view">
        <Banner />
      </main>
    )
  }
  return (
    <>
      <a
        class="skip"
        href="#view"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById("view-title")?.focus()
        }}
      >
        Skip to the view
      </a>
      <Navigation onHelp={() => setHelps(true)} />
      <main id="view">
        <Banner />
        {/* Whose page it is decides what may be asked. */}
        {hello === undefined ? <p class="quiet">Loading…</p> : <Shown view={view} />}
      </main>
      <Announcer />
      {helps ? <Help onClose={() => setHelps(false)} /> : null}
    </>
  )
}
