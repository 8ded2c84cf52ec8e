/** The view Overview: what waits for a person, the calls of the last hour, and each server at a glance. */
import { ViewHead } from "../../parts/ViewHead.tsx"
import { useTick } from "../../parts/useTick.ts"
import { useAsked } from "../../store/useAsked.ts"
import { useStore } from "../../store/context.ts"
import { some } from "../../format.ts"
import { HourCharts } from "./HourCharts.tsx"
import { ServerCard } from "./ServerCard.tsx"
import { Waiting } from "./Waiting.tsx"

const HISTORY_EVERY_MS = 10_000

export const Overview = () => {
  const { figures, statuses } = useStore()
  const calls = Object.values(figures.value).reduce((sum, each) => sum + each.calls.calls, 0)
  const history = useAsked("History", {}, [useTick(HISTORY_EVERY_MS), statuses.value, calls]).value
  const servers = Object.entries(statuses.value ?? {})
  const ready = servers.filter(([, { state }]) => state === "Ready").length
  const about =
    statuses.value === undefined
      ? "Waiting for the gateway…"
      : servers.length === 0
        ? "No servers are configured."
        : `${some(servers.length, "server")}, ${ready} ready`
  return (
    <>
      <ViewHead title="Overview" about={about} />
      <Waiting />
      {history === undefined ? null : <HourCharts history={history} />}
      <h2 class="hidden-text">Servers</h2>
      <ul class="cards">
        {servers.map(([name, status]) => (
          <ServerCard
            key={name}
            name={name}
            status={status}
            figures={figures.value[name]}
            states={history?.servers[name]?.states ?? []}
            now={history?.now}
          />
        ))}
      </ul>
    </>
  )
}
