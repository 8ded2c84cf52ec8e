/** Servers that restart, are noisy, or are left alone because their calls fail. */
import { DOCTOR_CALLS_MIN, DOCTOR_LOG_MS, DOCTOR_NOISY_LINES, DOCTOR_NOISY_START_LINES } from "../../defaults/Doctor.ts"
import { shellWord } from "../../connection/HttpError.ts"
import { circuitInWords } from "../../connection/ServerState.ts"
import type { Finding } from "../Finding.ts"
import type { Check, LogFacts, ServerFacts } from "../Facts.ts"

const isNoisy = ({ lines, overMs }: LogFacts): boolean =>
  lines >= (overMs < DOCTOR_LOG_MS ? DOCTOR_NOISY_START_LINES : DOCTOR_NOISY_LINES)

const about = ({ calls, config: { name: server }, log, status }: ServerFacts): ReadonlyArray<Finding> => [
  ...(status === undefined || status.restarts === 0
    ? []
    : [
        {
          id: "server-restarts",
          severity: "warning" as const,
          server,
          what: `It was connected again ${status.restarts} time${status.restarts === 1 ? "" : "s"}${status.lastError === null ? "" : `; the last reason: ${status.lastError}`}`,
          why: "Calls that were under way failed.",
          mend: `mcp-live logs ${shellWord(server)} --since 1h`
        }
      ]),
  ...(status?.circuit === undefined
    ? []
    : [
        {
          id: "calls-fail",
          severity: "warning" as const,
          server,
          what: `It is not called: ${circuitInWords(status.circuit)}.`,
          why: "Calls to it are refused meanwhile.",
          mend: `mcp-live reset ${shellWord(server)}, when its cause is mended`
        }
      ]),
  ...(calls === undefined || calls.calls < DOCTOR_CALLS_MIN || calls.errors * 2 < calls.calls
    ? []
    : [
        {
          id: "calls-fail",
          severity: "warning" as const,
          server,
          what: `${calls.errors} of its ${calls.calls} calls did not end well.`,
          why: "Agents work badly with it, or not at all.",
          mend: `mcp-live audit --server ${shellWord(server)} --summary`
        }
      ]),
  ...(log === undefined || !isNoisy(log)
    ? []
    : [
        {
          id: "server-noisy",
          severity: "warning" as const,
          server,
          what: `It wrote at least ${log.lines} lines to stderr ${log.overMs < DOCTOR_LOG_MS ? "at its start" : "in the last hour"}.`,
          why: "What matters is lost among them, and the log keeps a limited number of lines.",
          mend: "Set its log level, often by a variable in env such as LOG_LEVEL: warn."
        }
      ])
]

export const behavior: Check = ({ servers }) => servers.flatMap(about)
