/** The frame of the page: where one can go, whether the gateway is there, and the view. */
import { useEffect } from "preact/hooks"
import { Banner } from "./parts/Banner.tsx"
import { Navigation } from "./parts/Navigation.tsx"
import { Shown } from "./parts/Shown.tsx"
import { useRouter } from "./store/context.ts"
import { VIEW_ENTRIES } from "./views/views.ts"

export const App = () => {
  const { route } = useRouter()
  const { view } = route.value
  useEffect(() => {
    document.title = `${VIEW_ENTRIES[view].title} – mcp-live`
  }, [view])
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
      <Navigation />
      <main id="view">
        <Banner />
        <Shown view={view} />
      </main>
    </>
  )
}
