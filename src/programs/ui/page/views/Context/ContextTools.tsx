/** The tool list as it is sent to the model, in its order. */
import { useState } from "preact/hooks"
import type { ContextTool, ContextValue } from "../../../../../schemas/control/ContextView.ts"
import { ModelText } from "../../parts/ModelText.tsx"

const count = new Intl.NumberFormat("en")

const Tool = ({ share, tool }: { readonly tool: ContextTool; readonly share: number }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <code>{tool.name}</code> <span class="quiet">{tool.server}</span>{" "}
          <span class="tokens">
            <meter min={0} max={1} value={share} aria-hidden="true" /> <span>{count.format(tool.tokens)} tokens</span>
          </span>
        </summary>
        {isOpen ? (
          <>
            <h3>Description</h3>
            <ModelText text={tool.description} label={`The description of ${tool.name} as the model reads it`} />
            <h3>Parameters</h3>
            <pre class="model-text" tabIndex={0} role="group" aria-label={`The parameters of ${tool.name}`}>
              {JSON.stringify(tool.parameters, null, 2)}
            </pre>
          </>
        ) : null}
      </details>
    </li>
  )
}

export const ContextTools = ({ context }: { readonly context: ContextValue }) => {
  const { isSearched, tools } = context
  const [search, setSearch] = useState("")
  const most = Math.max(1, ...tools.map(({ tokens }) => tokens))
  const wanted = search.toLowerCase()
  const shown = tools.filter(({ name, server }) => `${name} ${server}`.toLowerCase().includes(wanted))
  return (
    <section class="panel" aria-labelledby="tools-title">
      <h2 id="tools-title">Tool list</h2>
      {isSearched ? (
        <p class="note">These tools search for the others, which are not sent until they are found.</p>
      ) : null}
      <div class="filters">
        <label class="search">
          With{" "}
          <input
            type="search"
            data-search
            value={search}
            placeholder="name of a tool or a server"
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </label>
        <p role="status" class="quiet">
          {shown.length === tools.length ? `${tools.length} tools` : `${shown.length} of ${tools.length} tools`}
        </p>
      </div>
      <ol class="context-tools">
        {shown.map((tool) => (
          <Tool key={tool.name} tool={tool} share={tool.tokens / most} />
        ))}
      </ol>
    </section>
  )
}
