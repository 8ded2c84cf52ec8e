/** The approvals for good, which can be taken back. */
import { useEffect, useState } from "preact/hooks"
import { clock, day } from "../../format.ts"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { useAsked } from "../../store/useAsked.ts"

export const Remembered = () => {
  const { gateway, hear, mayChange } = useStore()
  const [turn, setTurn] = useState(0)
  // The audit log says when an approval was stored, wherever it was given.
  useEffect(
    () =>
      hear("Call", (events) => {
        if (events.some(({ record }) => record.kind === "approval")) setTurn((before) => before + 1)
      }),
    [hear]
  )
  const { again, error, value: approvals } = useAsked("Approvals", {} as never, [turn])
  const [failed, setFailed] = useState<string>()
  const forget = (pattern: string) => {
    gateway.ask("ForgetApprovals", { pattern }).then(
      () => again(),
      (reason: unknown) => setFailed(wordsOf(reason))
    )
  }
  const problem = failed ?? error
  return (
    <section class="tallies" aria-labelledby="remembered-title">
      <h2 id="remembered-title">Approved for good</h2>
      {problem === undefined ? null : <p class="problem">{problem}</p>}
      {approvals === undefined ? null : approvals.length === 0 ? (
        <p class="quiet">Nothing. A tool that you approve for good is called without a question until it changes.</p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Server</th>
              <th scope="col">Agent</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span class="hidden-text">Take back</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {approvals.map(({ agent, approvedAt, definition, launch, server, tool }) => (
              <tr key={JSON.stringify([agent, server, launch, tool, definition])}>
                <th scope="row">
                  <code>{tool}</code>
                </th>
                <td>{server}</td>
                <td>{agent}</td>
                <td>
                  {day(approvedAt)} {clock(approvedAt)}
                </td>
                <td class="figure">
                  <button
                    type="button"
                    disabled={!mayChange.value}
                    aria-label={`Forget the approval of ${tool}`}
                    onClick={() => forget(`${agent}/${server}/${tool}`)}
                  >
                    Forget
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
