/** One node of the fleet, and the button that takes it out, as `mcp-live fleet drain` does. */
import { useState } from "preact/hooks"
import type { NodeValue } from "../../../../../schemas/control/NodesValue.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"

export const NodeRow = ({ isSelf, node }: { readonly node: NodeValue; readonly isSelf: boolean }) => {
  const { address, load, name, state, version } = node
  const { gateway, mayChange } = useStore()
  const [asks, setAsks] = useState(false)
  const [said, setSaid] = useState("")
  const drain = () => {
    setAsks(false)
    gateway.ask("DrainNode", { node: name }).then(
      (isThere) => setSaid(isThere ? "It drains." : "It is gone."),
      (error: unknown) => setSaid(wordsOf(error))
    )
  }
  return (
    <tr>
      <th scope="row">
        {name}
        {isSelf ? <span class="quiet"> (this one)</span> : null}
      </th>
      <td>{state}</td>
      <td>{version}</td>
      <td>
        <code>{address}</code>
      </td>
      <td class="figure">{load.sessions}</td>
      <td class="figure">{load.servers}</td>
      <td class="figure">{load.callsInFlight}</td>
      <td class="figure">
        <span role="status" class="quiet">
          {said}
        </span>
        {state === "alive" ? (
          <button type="button" disabled={!mayChange.value} aria-label={`Drain ${name}`} onClick={() => setAsks(true)}>
            Drain…
          </button>
        ) : null}
        {asks ? (
          <Confirm title={`Take ${name} out of the fleet?`} yes="Drain" onYes={drain} onNo={() => setAsks(false)}>
            <p>
              It takes no new sessions and servers, finishes its calls, hands its sessions over, and ends. Servers that
              run there start again at another node, without their state.
            </p>
          </Confirm>
        ) : null}
      </td>
    </tr>
  )
}
