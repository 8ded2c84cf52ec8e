/** The state of a server in figures. */
import type { ServerView } from "../../../../../schemas/control/ServerView.ts"
import { StateBadge } from "../../parts/StateBadge.tsx"

const TRANSPORTS = { stdio: "a program (stdio)", http: "an address (HTTP)", sse: "an address (SSE)" } as const

const launchWords = ({ launch }: ServerView): string =>
  launch._tag === "Process" ? [launch.command, ...launch.args].join(" ") : launch.url

export const Facts = ({ view }: { readonly view: ServerView }) => {
  const { calls, info, launch, status } = view
  const names = launch._tag === "Process" ? launch.env : launch.headers
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["Reached by", TRANSPORTS[status.transport]],
    ["Started with", launchWords(view)],
    ...(names.length === 0 ? [] : [[launch._tag === "Process" ? "Variables" : "Headers", names.join(", ")] as const]),
    [
      "Calls itself",
      info === null ? "unknown" : [info.title ?? info.name, info.version].filter(Boolean).join(" ") || "nothing"
    ],
    ["Revision", status.protocolVersion ?? "none yet"],
    ["Offers", `${status.tools} tools, ${status.resources} resources, ${status.prompts} prompts`],
    ["Restarts", String(status.restarts)],
    ["Calls", `${calls.calls}, of which ${calls.errors} failed; ${status.inFlight ?? 0} under way`]
  ]
  return (
    <section class="panel" aria-label="State">
      <p>
        <StateBadge state={status.state} />{" "}
        {status.lastError === null || status.state === "Ready" ? null : (
          <span class="bad-text">{status.lastError}</span>
        )}
      </p>
      <dl class="fact-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {view.diagnostics.length === 0 ? null : (
        <details>
          <summary>What its lists left out ({view.diagnostics.length})</summary>
          <ul>
            {view.diagnostics.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
