/** The way to every view, what waits there, and which gateway this is. */
import { addressOf, viewIn, viewsOf, type ViewName } from "../router.ts"
import { usePage } from "../store/context.ts"
import { THEMES } from "../theme.ts"
import { VIEW_ENTRIES } from "../views/views.ts"

/** What waits for a person in each view, in words for its badge. */
const useWaiting = (): { readonly [view in ViewName]?: { readonly amount: number; readonly words: string } } => {
  const { configuration, questions, statuses } = usePage().store
  const definitions = Object.values(statuses.value ?? {}).reduce(
    (sum, { unreviewed = 0, withheld = 0 }) => sum + Math.max(unreviewed, withheld),
    0
  )
  const faults = configuration.value?.fault == null ? 0 : 1
  return {
    questions: { amount: questions.value.length, words: "open" },
    pins: { amount: definitions, words: "to review" },
    configuration: { amount: faults, words: "fault" }
  }
}

const logOut = async (): Promise<void> => {
  await fetch(new URL("sign-out", document.baseURI), { method: "POST" })
  window.location.reload()
}

export const Navigation = ({ onHelp }: { readonly onHelp: () => void }) => {
  const { router, store, theme } = usePage()
  const waiting = useWaiting()
  const hello = store.hello.value
  const shown = viewIn(hello, router.route.value.view)
  return (
    <header class="bar">
      <p class="brand">
        mcp-live
        {hello?.powers === "read-only" ? <span class="tag">looking only</span> : null}
      </p>
      <nav aria-label="Views">
        <ul>
          {viewsOf(hello).map((view) => {
            const { amount = 0, words = "" } = waiting[view] ?? {}
            return (
              <li key={view}>
                <a href={addressOf({ view })} aria-current={shown === view ? "page" : undefined}>
                  {VIEW_ENTRIES[view].title}
                  {amount === 0 ? null : (
                    <span class="count">
                      {amount}
                      <span class="hidden-text"> {words}</span>
                    </span>
                  )}
                </a>
              </li>
            )
          })}
        </ul>
      </nav>
      <div class="about-gateway">
        <p class="quiet link-state" data-state={store.link.value.state}>
          {store.link.value.state === "open" && hello !== undefined
            ? (hello.person ?? `${hello.kind} · process ${hello.pid}`)
            : "not connected"}
        </p>
        {hello?.person === undefined ? null : (
          <button type="button" onClick={() => void logOut()}>
            Log out
          </button>
        )}
        <label>
          <span class="hidden-text">Colours</span>
          <select
            value={theme.chosen.value}
            onChange={({ currentTarget }) => theme.choose(THEMES.find((name) => name === currentTarget.value)!)}
          >
            <option value="system">as the system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
        <button type="button" onClick={onHelp} aria-keyshortcuts="?">
          Keys <kbd aria-hidden="true">?</kbd>
        </button>
      </div>
    </header>
  )
}
