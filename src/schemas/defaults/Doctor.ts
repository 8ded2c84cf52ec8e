/** `mcp-live doctor`. Defaults and limits, with their units in the names. */

/** How long servers may take to start, all together. */
export const DOCTOR_START_MS = 45_000
/** How long one address may take to answer, and how long one program to tell its version. */
export const DOCTOR_ANSWER_MS = 10_000
export const DOCTOR_PROBES_AT_ONCE = 8
/** A server that takes longer than this to be ready is slow. */
export const DOCTOR_SLOW_MS = 10_000
/** Lines on stderr that are noise: at one start (of more than these in a second, the log keeps none), and in the last hour of a gateway. */
export const DOCTOR_NOISY_START_LINES = 50
export const DOCTOR_NOISY_LINES = 1_000
export const DOCTOR_LOG_MS = 3_600_000
/** So many calls say something about a server; if half of them fail, it is that. */
export const DOCTOR_CALLS_MIN = 10
/** The newest lines of each server that are shown in a report. */
export const DOCTOR_LOG_LINES = 20
/** A clock that differs by more than this breaks logins. */
export const DOCTOR_CLOCK_MS = 60_000
/** Below this, stores of the data directory cannot be written reliably. */
export const DOCTOR_FREE_BYTES = 50 * 1024 * 1024
/** A temporary file exists for moments: one of this age was left behind. */
export const DOCTOR_LEFT_MS = 600_000
/** Files of the data directory that are looked at, and how deep. */
export const DOCTOR_FILES_MAX = 20_000
export const DOCTOR_DEPTH_MAX = 4
/** Output of a program that is asked for its version. */
export const DOCTOR_VERSION_MAX_BYTES = 64 * 1024
/** The oldest versions that servers can be expected to run with, unless their package says otherwise. */
export const DOCTOR_OLDEST: Readonly<Record<string, string>> = {
  // The official TypeScript SDK.
  node: "18.0",
  // The official Python SDK.
  python: "3.10",
  // The first with `uvx`.
  uv: "0.3.0",
  docker: "20.10",
  deno: "2.0",
  bun: "1.0"
}
