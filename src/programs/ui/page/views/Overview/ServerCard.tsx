/** One server: what it is, how it is, and how its last hour was. */
import type { ComponentChildren } from "preact"
import type { FiguresValue } from "../../../../../schemas/control/FiguresValue.ts"
import type { StateSpan } from "../../../../../schemas/control/History.ts"
import { bytes, count, duration } from "../../format.ts"
import { StateBadge } from "../../parts/StateBadge.tsx"
import { Strip } from "../../parts/Strip.tsx"
import { addressOf } from "../../router.ts"
import type { Statuses } from "../../store/Store.ts"
import { toolsLeft, toolsThere } from "./toolCount.ts"

const HOUR_MS = 3_600_000

export interface ServerCardProps {
  readonly name: string
  readonly status: Statuses[string]
  readonly figures: FiguresValue[string] | undefined
  readonly states: ReadonlyArray<StateSpan>
  /** The moment of `states`. */
  readonly now: number | undefined
}

const Fact = ({ children, name, title }: { name: string; title?: string | undefined; children: ComponentChildren }) => (
  <div title={title}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

export const ServerCard = ({ figures, name, now, states, status }: ServerCardProps) => {
  const { circuit, lastError, protocolVersion, restarts, retryInMs, state, transport } = status
  const calls = figures?.calls
  const left = toolsLeft(status)
  const problem = state === "Ready" || state === "Idle" || state === "Disabled" ? null : lastError
  return (
    <li class="card" data-state={status.waits === "login" ? "Backoff" : state}>
      <header>
        <h3>
          <a href={addressOf({ view: "server", name })}>{name}</a>
        </h3>
        <StateBadge of={status} />
      </header>
      <p class="quiet">
        {transport}
        {protocolVersion === null ? "" : ` · ${protocolVersion}`}
        {status.pid === null ? "" : ` · process ${status.pid}`}
      </p>
      {now === undefined ? <div class="strip" /> : <Strip states={states} from={now - HOUR_MS} to={now} />}
      {problem === null ? null : (
        <p class="problem" title={problem}>
          {problem}
          {retryInMs === undefined ? "" : ` – next try in ${duration(retryInMs)}`}
          {circuit === undefined ? "" : ` – too many failures: rests for ${duration(circuit.retryInMs)}`}
        </p>
      )}
      <dl class="facts">
        <Fact name="tools" title={left === 0 ? undefined : `${left} are withheld or denied`}>
          {toolsThere(status)}
        </Fact>
        <Fact name="restarts">{restarts}</Fact>
        <Fact name="calls">{count(calls?.calls ?? 0)}</Fact>
        <Fact name="errors">
          <span data-tone={(calls?.errors ?? 0) > 0 ? "bad" : undefined}>{count(calls?.errors ?? 0)}</span>
        </Fact>
        <Fact name="p50">{duration(calls?.p50Ms)}</Fact>
        <Fact name="p99">{duration(calls?.p99Ms)}</Fact>
        <Fact name="memory">{bytes(figures?.usage?.rssBytes)}</Fact>
        <Fact name="CPU">{duration(figures?.usage?.cpuMs)}</Fact>
      </dl>
    </li>
  )
}
