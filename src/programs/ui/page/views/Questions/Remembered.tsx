/** The approvals for good, which can be taken back. */
import { useState } from "preact/hooks"
import { clock, day } from "../../format.ts"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { useAsked } from "../../store/useAsked.ts"

/** `*` and `?` stand for others in a pattern, so a name with one of them is matched by more than itself. */
const patternOf = (agent: string, server: string, tool: string): string => `${agent}/${server}/${tool}`

export const Remembered = ({ turn }: { readonly turn: number }) => {
  const { gateway, mayChange } = useStore()
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
                    onClick={() => forget(patternOf(agent, server, tool))}
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
