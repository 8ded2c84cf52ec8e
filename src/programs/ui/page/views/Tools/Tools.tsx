/** The view Tools: the tools as an agent gets them, why one is not there, and a form to call them. */
import { useMemo, useRef } from "preact/hooks"
import type { Draft } from "../../form/Draft.ts"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { addressOf } from "../../router.ts"
import { useRouter, useStore } from "../../store/context.ts"
import { useAsked } from "../../store/useAsked.ts"
import { ToolFilters } from "./ToolFilters.tsx"
import { ToolList } from "./ToolList.tsx"
import { ToolPage } from "./ToolPage.tsx"
import { toolRows } from "./toolRows.ts"

const NO_PLAN = { servers: [], own: [] }

export const Tools = () => {
  const { route } = useRouter()
  const { hello, revisions } = useStore()
  const { name, query } = route.value
  const agent = query["agent"]
  const ofAgent = agent === undefined ? {} : { agent }
  const changes = [revisions.value.tools, revisions.value.pins]
  const plan = useAsked("Plan", ofAgent, changes)
  const tools = useAsked("Tools", { ...ofAgent, all: true }, changes)
  const servers = plan.value?.plan ?? NO_PLAN
  const rows = useMemo(() => toolRows(servers), [servers])
  // What was entered for a tool stays while others are looked at.
  const drafts = useRef(new Map<string, Draft>())
  const error = plan.error ?? tools.error
  const row = rows.find((one) => one.name === name)
  return (
    <>
      <ViewHead title="Tools" about="The tools as an agent gets them, and a form to call each." />
      {error === undefined ? null : (
        <p class="notice" data-tone="bad" role="alert">
          {error}
        </p>
      )}
      <div class="tools" data-opened={name !== undefined}>
        <div class="tools-list">
          <ToolFilters agents={hello.value?.agents ?? []} rows={rows} />
          {plan.value === undefined && plan.error === undefined ? (
            <p class="quiet">Loading…</p>
          ) : (
            <ToolList rows={rows} plan={plan.value?.plan} opened={name} />
          )}
        </div>
        {name === undefined ? null : (
          <div class="tools-detail">
            <p class="back">
              <a href={addressOf({ view: "tools", query })}>All tools</a>
            </p>
            {row === undefined ? (
              plan.value === undefined ? null : (
                <p>The agent has no tool with this name.</p>
              )
            ) : (
              <ToolPage
                key={`${agent ?? ""} ${row.name}`}
                agent={agent}
                row={row}
                tool={tools.value?.find((one) => one.name === row.name)}
                drafts={drafts.current}
              />
            )}
          </div>
        )}
      </div>
    </>
  )
}
