/** One tool: why the agent has it or not, what it says of itself, its schema, and a form to call it. */
import { useEffect, useRef } from "preact/hooks"
import type { Draft } from "../../form/Draft.ts"
import { rootFieldOf } from "../../form/Field.ts"
import { SchemaOutline } from "../../form/SchemaOutline.tsx"
import { addressOf } from "../../router.ts"
import { useStore } from "../../store/context.ts"
import { ServerText } from "../../text/ServerText.tsx"
import { CallPanel } from "./CallPanel.tsx"
import { STATE_WORDS, whyOf, type Tool, type ToolRow } from "./toolRows.ts"

const HINTS = {
  readOnlyHint: ["only reads", "may change something"],
  destructiveHint: ["may destroy something", "destroys nothing"],
  idempotentHint: ["calling it twice does no more than once", undefined],
  openWorldHint: ["reaches out to the world", "stays in its own world"]
} as const

const Hints = ({ annotations }: Pick<Tool, "annotations">) => {
  const words = (Object.keys(HINTS) as ReadonlyArray<keyof typeof HINTS>).flatMap((hint) => {
    const said = annotations?.[hint]
    return said === undefined ? [] : (HINTS[hint][said ? 0 : 1] ?? [])
  })
  return words.length === 0 ? null : <p class="quiet">Its server says, and nobody checks: {words.join(", ")}.</p>
}

const Facts = ({ row }: { readonly row: ToolRow }) => (
  <dl class="tool-facts">
    {row.server === "" ? null : (
      <>
        <dt>Server</dt>
        <dd>
          <a href={addressOf({ view: "server", name: row.server })}>{row.server}</a>, which calls it{" "}
          <code>
            <ServerText text={row.tool} isInline />
          </code>
        </dd>
      </>
    )}
    {row.rule === "" ? null : (
      <>
        <dt>Rule</dt>
        <dd>
          <ServerText text={row.rule} isInline />
          {row.asks ? ": each call needs approval" : ""}
        </dd>
      </>
    )}
    {row.pin === "none" ? null : (
      <>
        <dt>Definition</dt>
        <dd>{row.pin === "approved" ? "approved" : <a href={addressOf({ view: "pins" })}>{row.pin}: review it</a>}</dd>
      </>
    )}
    <dt>Size</dt>
    <dd>about {row.tokens.toLocaleString("en")} tokens</dd>
  </dl>
)

export const ToolPage = (props: {
  readonly agent: string | undefined
  readonly row: ToolRow
  /** Missing for a tool that the agent may not call. */
  readonly tool: Tool | undefined
  readonly drafts: Map<string, Draft>
}) => {
  const { agent, drafts, row, tool } = props
  const { mayChange } = useStore()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <article class="tool" aria-labelledby="tool-name">
      <h2 id="tool-name" ref={heading} tabIndex={-1}>
        <ServerText text={row.name} isInline /> <span class="badge">{STATE_WORDS[row.state]}</span>
      </h2>
      <p>
        <ServerText text={whyOf(row)} isInline />
      </p>
      <Facts row={row} />
      {tool === undefined ? null : (
        <>
          <ServerText text={tool.description} />
          <Hints annotations={tool.annotations} />
          <SchemaOutline title="Arguments" schema={tool.parameters} />
          {tool.outputSchema === undefined ? null : <SchemaOutline title="Result" schema={tool.outputSchema} />}
          {mayChange.value ? (
            <CallPanel agent={agent} tool={tool} field={rootFieldOf(tool.parameters)} drafts={drafts} />
          ) : (
            <p class="notice">This page may only look: it can call no tool.</p>
          )}
        </>
      )}
    </article>
  )
}
