/** Where each server lives, and what is moving. */
import type { ServerAtNode } from "../../../../../schemas/control/NodesValue.ts"
import { StateBadge } from "../../parts/StateBadge.tsx"

export const ServersByNode = ({ servers }: { readonly servers: ReadonlyArray<ServerAtNode> }) => (
  <section class="panel" aria-labelledby="homes-title">
    <h2 id="homes-title">Where servers live</h2>
    {servers.length === 0 ? (
      <p class="quiet">No servers are configured.</p>
    ) : (
      <div class="scrolls" tabIndex={0} role="group" aria-labelledby="homes-title">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Server</th>
              <th scope="col">Node</th>
              <th scope="col">State</th>
              <th scope="col" class="figure">
                Process
              </th>
              <th scope="col" class="figure">
                Calls under way
              </th>
            </tr>
          </thead>
          <tbody>
            {servers.map(({ figures: { status }, node, server }) => (
              <tr key={`${node}/${server}`}>
                <th scope="row">{server}</th>
                <td>{status.node === null ? "moves to another node" : node}</td>
                <td>
                  <StateBadge of={status} />
                </td>
                <td class="figure">{status.pid ?? "–"}</td>
                <td class="figure">{status.inFlight ?? 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
