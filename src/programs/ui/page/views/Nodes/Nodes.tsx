/** The view Nodes: who is in the fleet, what each node carries, and where each server lives. */
import { serversByNode, type NodesValue } from "../../../../../schemas/control/NodesValue.ts"
import { some } from "../../format.ts"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { useTick } from "../../parts/useTick.ts"
import { useStore } from "../../store/context.ts"
import { useAsked } from "../../store/useAsked.ts"
import { NodeRow } from "./NodeRow.tsx"
import { ServersByNode } from "./ServersByNode.tsx"

const EVERY_MS = 2_000

const aboutOf = (value: NodesValue | null | undefined): string => {
  if (value === undefined) return "Waiting for the nodes…"
  if (value === null) return "This gateway is not a node of a fleet."
  const alive = value.nodes.filter(({ state }) => state === "alive").length
  return `${some(value.nodes.length, "node")}, ${alive} alive; this page is served by ${value.self}`
}

export const Nodes = () => {
  const { hello } = useStore()
  const { error, value } = useAsked("Nodes", {}, [useTick(EVERY_MS), hello.value?.pid])
  const silent = value?.nodes.filter((node) => node.silent !== undefined) ?? []
  return (
    <>
      <ViewHead title="Nodes" about={aboutOf(value)} />
      {error === undefined ? null : <p class="problem">{error}</p>}
      {silent.map(({ name, silent: detail }) => (
        <p class="problem" key={name}>
          {`What runs at ${name} is not known: ${detail}`}
        </p>
      ))}
      {value == null ? null : (
        <>
          <section class="panel" aria-labelledby="nodes-title">
            <h2 id="nodes-title">Nodes</h2>
            <div class="scrolls" tabIndex={0} role="group" aria-labelledby="nodes-title">
              <table class="plain">
                <thead>
                  <tr>
                    <th scope="col">Node</th>
                    <th scope="col">State</th>
                    <th scope="col">Version</th>
                    <th scope="col">Address</th>
                    <th scope="col" class="figure">
                      Sessions
                    </th>
                    <th scope="col" class="figure">
                      Servers
                    </th>
                    <th scope="col" class="figure">
                      Calls
                    </th>
                    <th scope="col">
                      <span class="hidden-text">Drain</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {value.nodes.map((node) => (
                    <NodeRow key={node.name} node={node} isSelf={node.name === value.self} />
                  ))}
                </tbody>
              </table>
            </div>
          </section>
          <ServersByNode servers={serversByNode(value)} />
        </>
      )}
    </>
  )
}
