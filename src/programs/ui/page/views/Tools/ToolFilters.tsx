/** Which tools are listed, of which agent, in which order; all of it in the address, so that it can be shared. */
import type { ComponentChildren } from "preact"
import type { Query } from "../../router.ts"
import { useRouter } from "../../store/context.ts"
import type { ToolRow } from "./toolRows.ts"

const STATES: Readonly<Record<string, string>> = {
  "": "all",
  there: "that the agent gets",
  not: "that it does not get",
  listed: "listed",
  searched: "found by a search",
  denied: "denied by a rule",
  withheld: "withheld until approved",
  suspicious: "suspicious",
  unavailable: "of failed servers",
  asks: "that ask first",
  pins: "to review"
}
const SORTS: Readonly<Record<string, string>> = { "": "server", name: "name", tokens: "size" }

const Choice = (props: {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly children: ComponentChildren
}) => {
  const { route, filter } = useRouter()
  const { children, id, label, value } = props
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => filter({ ...route.value.query, [id]: currentTarget.value })}
      >
        {children}
      </select>
    </label>
  )
}

const options = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))

export const ToolFilters = ({
  agents,
  rows
}: {
  readonly agents: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ToolRow>
}) => {
  const { filter, route } = useRouter()
  const { query } = route.value
  const of = (name: string): string => query[name] ?? ""
  const put = (change: Query) => filter({ ...route.value.query, ...change })
  const servers = [...new Set(rows.flatMap(({ server }) => (server === "" ? [] : [server])))]
  return (
    <search class="filters" aria-label="Filter the tools">
      <label class="filter-text">
        Search
        <input
          type="search"
          data-search
          value={of("text")}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => put({ text: currentTarget.value })}
        />
      </label>
      <Choice id="state" label="Tools" value={of("state")}>
        {options(STATES)}
      </Choice>
      {servers.length < 2 ? null : (
        <Choice id="server" label="Server" value={of("server")}>
          <option value="">all</option>
          {options(Object.fromEntries(servers.map((server) => [server, server])))}
        </Choice>
      )}
      <Choice id="sort" label="Sorted by" value={of("sort")}>
        {options(SORTS)}
      </Choice>
      {agents.length < 2 ? null : (
        <Choice id="agent" label="Agent" value={of("agent")}>
          <option value="">main agent</option>
          {options(Object.fromEntries(agents.map((agent) => [agent, agent])))}
        </Choice>
      )}
    </search>
  )
}
