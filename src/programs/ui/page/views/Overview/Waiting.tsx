/** What waits for a person, on top of everything else; nothing when nothing does. */
import { addressOf } from "../../router.ts"
import { useStore } from "../../store/context.ts"
import { waitingFor } from "./waiting.ts"

export const Waiting = () => {
  const { configuration, questions, statuses } = useStore()
  const items = waitingFor({
    questions: questions.value,
    statuses: statuses.value ?? {},
    configuration: configuration.value
  })
  if (items.length === 0) return null
  return (
    <section class="waiting" aria-labelledby="waiting-title">
      <h2 id="waiting-title">Waits for you</h2>
      <ul>
        {items.map(({ detail, key, leads, tone, words }) => (
          <li key={key} data-tone={tone}>
            <a href={addressOf(leads)}>{words}</a>
            {detail === undefined ? null : <p class="quiet">{detail}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}
