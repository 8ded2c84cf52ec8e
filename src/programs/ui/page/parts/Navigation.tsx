/** The way to every view. */
import { addressOf, VIEWS } from "../router.ts"
import { useRouter } from "../store/context.ts"
import { VIEW_ENTRIES } from "../views/views.ts"

export const Navigation = () => {
  const { route } = useRouter()
  return (
    <header class="bar">
      <p class="brand">mcp-live</p>
      <nav aria-label="Views">
        <ul>
          {VIEWS.map((view) => (
            <li key={view}>
              <a href={addressOf({ view })} aria-current={route.value.view === view ? "page" : undefined}>
                {VIEW_ENTRIES[view].title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  )
}
