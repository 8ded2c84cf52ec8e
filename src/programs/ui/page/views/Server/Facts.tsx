/** The state of a server in figures. */
import type { ServerView } from "../../../../../schemas/control/ServerView.ts"
import { StateBadge } from "../../parts/StateBadge.tsx"

const TRANSPORTS = { stdio: "stdio", http: "Streamable HTTP", sse: "SSE" } as const

const launchWords = ({ launch }: ServerView): string =>
  launch._tag === "Process" ? [launch.command, ...launch.args].join(" ") : launch.url

export const Facts = ({ view }: { readonly view: ServerView }) => {
  const { calls, info, launch, status } = view
  const names = launch._tag === "Process" ? launch.env : launch.headers
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["Transport", TRANSPORTS[status.transport]],
    [launch._tag === "Process" ? "Command" : "URL", launchWords(view)],
    ...(names.length === 0 ? [] : [[launch._tag === "Process" ? "Variables" : "Headers", names.join(", ")] as const]),
    [
      "Name and version",
      info === null ? "unknown" : [info.title ?? info.name, info.version].filter(Boolean).join(" ") || "none given"
    ],
    ["Protocol revision", status.protocolVersion ?? "not negotiated yet"],
    ["Lists", `${status.tools} tools, ${status.resources} resources, ${status.prompts} prompts`],
    ["Restarts", String(status.restarts)],
    ["Calls", `${calls.calls}, of which ${calls.errors} failed; ${status.inFlight ?? 0} under way`]
  ]
  return (
    <section class="panel" aria-label="State">
      <p>
        <StateBadge of={status} />{" "}
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
