/** The processes of a server: memory, and the share of one processor between two looks. */
import { useEffect, useState } from "preact/hooks"
import type { ProcessValue } from "../../../../../schemas/control/ServerView.ts"
import { bytes } from "../../format.ts"
import { type CpuLook, cpuShares } from "./cpuShares.ts"

export const Processes = ({ processes }: { readonly processes: ReadonlyArray<ProcessValue> }) => {
  const [looks, setLooks] = useState<ReadonlyArray<CpuLook>>([])
  useEffect(() => {
    const look = { at: performance.now(), processes }
    setLooks((before) => [...before, look].slice(-2))
  }, [processes])
  const shares = cpuShares(looks)
  return (
    <section class="panel" aria-labelledby="processes-title">
      <h2 id="processes-title">Processes</h2>
      {processes.length === 0 ? (
        <p class="quiet">It has no process on this machine.</p>
      ) : (
        <div class="scrolls" tabIndex={0} role="group" aria-labelledby="processes-title">
          <table class="processes">
            <thead>
              <tr>
                <th scope="col">Process</th>
                <th scope="col" class="figure">
                  Memory
                </th>
                <th scope="col" class="figure">
                  CPU
                </th>
                <th scope="col">Command</th>
              </tr>
            </thead>
            <tbody>
              {processes.map(({ command, pid, rssBytes }) => (
                <tr key={pid}>
                  <td>{pid}</td>
                  <td class="figure">{bytes(rssBytes)}</td>
                  <td class="figure">
                    {shares.get(pid) === undefined ? "–" : `${Math.round(shares.get(pid)! * 100)} %`}
                  </td>
                  <td>
                    <code>{command ?? "?"}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
