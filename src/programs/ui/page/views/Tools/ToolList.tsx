/** The list of the tools, with what it takes of a model's context, and the servers that have none to show. */
import { useMemo } from "preact/hooks"
import type { Plan } from "../../../../../schemas/call/Plan.ts"
import { Table, type Column } from "../../parts/Table.tsx"
import { useRouter } from "../../store/context.ts"
import { ServerText } from "../../text/ServerText.tsx"
import { hidesTool, isThere, shownRows, silentServers, STATE_WORDS, type ToolRow } from "./toolRows.ts"

const toneOf = ({ pin, state }: ToolRow): "bad" | "warn" | undefined =>
  state === "suspicious" || state === "unavailable"
    ? "bad"
    : state === "withheld" || (pin !== "approved" && pin !== "none")
      ? "warn"
      : undefined

const COLUMNS: ReadonlyArray<Column<ToolRow>> = [
  {
    key: "name",
    title: "Name",
    width: "minmax(0, 3fr)",
    cell: ({ name, ...row }) => (
      <span title={name}>
        {hidesTool({ name, ...row }) ? (
          <>
            <ServerText text={row.tool} isInline />{" "}
          </>
        ) : null}
        <span class={hidesTool({ name, ...row }) ? "quiet" : ""}>
          <span class={isThere(row) ? "" : "absent"}>
            <ServerText text={name} isInline />
          </span>
        </span>
      </span>
    )
  },
  { key: "server", title: "Server", width: "minmax(0, 1.4fr)", hides: "narrow", cell: ({ server }) => server },
  {
    key: "state",
    title: "State",
    width: "7.5rem",
    cell: ({ asks, ...row }) => `${STATE_WORDS[row.state]}${asks && isThere(row) ? ", asks" : ""}`
  },
  { key: "pin", title: "Pin", width: "5rem", hides: "tiny", cell: ({ pin }) => (pin === "none" ? "" : pin) },
  {
    key: "tokens",
    title: "Tokens",
    width: "4.5rem",
    hides: "tiny",
    isFigure: true,
    cell: ({ tokens }) => tokens.toLocaleString("en")
  }
]

const Totals = ({ plan, shown, whole }: { readonly plan: Plan; readonly shown: number; readonly whole: number }) => (
  <p class="quiet totals" role="status">
    {shown === whole ? `${whole} tools` : `${shown} of ${whole} tools`}. The list of the agent takes about{" "}
    {plan.tokens.toLocaleString("en")} tokens
    {plan.searchedTokens === 0
      ? "."
      : `; a search stands for tools with ${plan.searchedTokens.toLocaleString("en")} more.`}
  </p>
)

export const ToolList = ({
  opened,
  plan,
  rows
}: {
  readonly rows: ReadonlyArray<ToolRow>
  readonly plan: Plan | undefined
  readonly opened: string | undefined
}) => {
  const { go, route } = useRouter()
  const { query } = route.value
  const shown = useMemo(() => shownRows(rows, query), [rows, query])
  const silent = silentServers(plan?.servers ?? [])
  return (
    <>
      {plan === undefined ? null : <Totals plan={plan} shown={shown.length} whole={rows.length} />}
      <Table
        label="Tools"
        columns={COLUMNS}
        rows={shown}
        keyOf={({ name, server }) => `${server} ${name}`}
        opened={
          shown.find(({ name }) => name === opened) && `${shown.find(({ name }) => name === opened)!.server} ${opened}`
        }
        onOpen={({ name }) => go({ view: "tools", name, query })}
        toneOf={toneOf}
        empty={rows.length === 0 ? "No server offers a tool." : "No tool fits the filters."}
      />
      {silent.length === 0 ? null : (
        <section class="silent" aria-label="Servers without tools">
          <h2>Servers without tools, or not all of them</h2>
          <ul>
            {silent.map(({ detail, name, state }) => (
              <li key={name}>
                <b>{name}</b>: {state.toLowerCase()}
                {detail === null ? ", it offers none" : <>, {<ServerText text={detail} isInline />}</>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
