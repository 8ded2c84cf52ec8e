/** One line about a server. What the server said stands behind a bar, so that nothing in it can pass for a line of the gateway. */
import type { ServerLogLine } from "../../../../../schemas/connection/ServerLogLine.ts"
import { stretchesOf, toneOf } from "./logLines.ts"

const clock = (iso: string): string => {
  const at = new Date(iso)
  const two = (part: number) => String(part).padStart(2, "0")
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, "0")}`
}

export const LogLine = ({ line, search }: { readonly line: ServerLogLine; readonly search: string }) => (
  <li class={`log-line tone-${toneOf(line.level)}`} data-source={line.source}>
    <time dateTime={line.time} title={line.time}>
      {clock(line.time)}
    </time>{" "}
    <span class="log-level">{line.level}</span>{" "}
    <span class="log-text">
      {stretchesOf(line.text, search).map(({ isHit, text }, i) => (isHit ? <mark key={i}>{text}</mark> : text))}
    </span>
  </li>
)
