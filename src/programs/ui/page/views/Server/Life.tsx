/** The life of a server: the last hour as a picture, and a timeline with reasons, the newest first. */
import { clock, day, duration } from "../../format.ts"
import { Strip } from "../../parts/Strip.tsx"
import { useTick } from "../../parts/useTick.ts"
import { useAsked } from "../../store/useAsked.ts"
import { lifeRows } from "./lifeRows.ts"

interface LifeProps {
  readonly server: string
  /** With another one, the life has gone on. */
  readonly state: string | undefined
  readonly restarts: number | undefined
}

const TICK_MS = 1_000

const LastHour = ({ restarts, server, state }: LifeProps) => {
  const { value } = useAsked("History", {}, [state, restarts])
  const states = value?.servers[server]?.states
  return value === undefined || states === undefined ? null : (
    <Strip states={states} from={value.since} to={value.now} />
  )
}

export const Life = ({ restarts, server, state }: LifeProps) => {
  const { error, value } = useAsked("Timeline", { server }, [state, restarts])
  // The present state lasts on.
  useTick(TICK_MS)
  const rows = value === undefined ? [] : lifeRows(value.events, Date.now())
  return (
    <section class="panel" aria-labelledby="life-title">
      <h2 id="life-title">Life</h2>
      <LastHour server={server} state={state} restarts={restarts} />
      {value === undefined ? (
        <p class="quiet">{error ?? "Reading…"}</p>
      ) : rows.length === 0 ? (
        <p class="quiet">Nothing has happened yet.</p>
      ) : (
        <div class="scrolls" tabIndex={0} role="group" aria-labelledby="life-title">
          <ol class="life">
            {rows.map(({ at, lastedMs, process, reason, tone, words }, i) => (
              <li key={`${at} ${rows.length - i}`} data-tone={tone}>
                <span class="life-words">
                  {words}
                  {process === undefined ? "" : ` (process ${process})`}
                </span>{" "}
                {lastedMs === undefined ? null : <span class="quiet">for {duration(lastedMs)}</span>}
                <time dateTime={new Date(at).toISOString()}>{`${day(at)} ${clock(at)}`}</time>
                {reason === undefined ? null : <p class="life-reason">{reason}</p>}
              </li>
            ))}
          </ol>
          {value.missed === 0 ? null : <p class="quiet">{value.missed} older ones are not kept.</p>}
        </div>
      )}
    </section>
  )
}
