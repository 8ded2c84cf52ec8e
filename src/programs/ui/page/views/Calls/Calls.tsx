/** The view Calls: every call as it ends, and its way through the gateway. */
import type { HeardRecord } from "../../../../../schemas/control/Events.ts"
import { some } from "../../format.ts"
import { Table } from "../../parts/Table.tsx"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { usePage } from "../../store/context.ts"
import { COLUMNS, toneOf } from "./columns.tsx"
import { Detail } from "./Detail.tsx"
import { filterOf } from "./filter.ts"
import { Filters } from "./Filters.tsx"
import { keyOf, useList } from "./list.ts"
import { Tallies } from "./Tallies.tsx"

export const Calls = () => {
  const { router, store } = usePage()
  const { call, ...query } = router.route.value.query
  const { error, isLoading, isWhole, more, rows } = useList(filterOf(query))
  const open = (heard: HeardRecord) => router.filter({ ...query, call: keyOf(heard) })
  const close = () => {
    router.filter(query)
    document.querySelector<HTMLElement>(".table")?.focus()
  }
  const about = `${some(rows.length, "record")}, as they come${isWhole ? "" : "; older ones follow when you scroll"}`
  return (
    <>
      <ViewHead title="Calls" about={about} />
      <Filters />
      {error === undefined ? null : <p class="problem">{error}</p>}
      <div class="split" data-open={call !== undefined}>
        <Table
          label="Calls, the newest first"
          columns={COLUMNS}
          rows={rows}
          keyOf={keyOf}
          onOpen={open}
          onEnd={more}
          opened={call}
          toneOf={toneOf}
          empty={isLoading ? "Loading…" : "No record matches."}
        />
        {call === undefined ? null : (
          <Detail key={call} call={call} record={rows.find((row) => keyOf(row) === call)?.record} onClose={close} />
        )}
      </div>
      {store.hello.value?.person === undefined ? <Tallies /> : null}
    </>
  )
}
