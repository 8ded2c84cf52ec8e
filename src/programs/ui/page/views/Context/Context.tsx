/** The view Context: the resource block and the tool list exactly as the model reads them, and what they cost. */
import { ModelText } from "../../parts/ModelText.tsx"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { useRouter, useStore } from "../../store/context.ts"
import { useAsked } from "../../store/useAsked.ts"
import { Budgets } from "./Budgets.tsx"
import { ContextTools } from "./ContextTools.tsx"

const AgentChoice = ({ agent, agents }: { readonly agent: string; readonly agents: ReadonlyArray<string> }) => {
  const { filter } = useRouter()
  return (
    <label>
      Agent{" "}
      <select value={agent} onChange={({ currentTarget }) => filter({ agent: currentTarget.value })}>
        {agents.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}

export const Context = () => {
  const { hello, revisions } = useStore()
  const { route } = useRouter()
  const chosen = route.value.query["agent"]
  const { error, value } = useAsked("Context", chosen === undefined ? {} : { agent: chosen }, [revisions.value.tools])
  const agents = hello.value?.agents ?? []
  const agent = chosen ?? value?.agent ?? hello.value?.agent ?? ""
  return (
    <>
      <ViewHead title="Context" about="Exactly what the model reads before the first message">
        {agents.length > 1 ? <AgentChoice agent={agent} agents={agents} /> : null}
      </ViewHead>
      {value === undefined ? (
        <p role="status" class="quiet">
          {error ?? "Reading…"}
        </p>
      ) : (
        <>
          <Budgets context={value} />
          <section class="panel" aria-labelledby="resources-title">
            <h2 id="resources-title">Resource block</h2>
            {value.resourceBlock === "" ? (
              <p class="quiet">No server has resources, so nothing is sent.</p>
            ) : (
              <ModelText text={value.resourceBlock} label="The resource block as the model reads it" />
            )}
          </section>
          <ContextTools context={value} />
        </>
      )}
    </>
  )
}
