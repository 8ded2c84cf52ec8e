/** What an answer says of its call. */
import type { Outcome } from "./calls.ts"

export interface Told {
  readonly outcome: Outcome
  readonly text: string
  /** The client has to open a new session. */
  readonly isSessionLost?: boolean
}

const MAYBE = /may have been executed/
const EXECUTED = /The call was executed, but/

export const ofResult = (result: unknown): Told => {
  const { content, isError } = result as {
    readonly isError?: boolean
    readonly content?: ReadonlyArray<{ readonly text?: string }>
  }
  const text = content?.map(({ text }) => text ?? "").join("\n") ?? JSON.stringify(result)
  if (isError !== true) return { outcome: "success", text }
  if (EXECUTED.test(text)) return { outcome: "executed", text }
  if (MAYBE.test(text)) return { outcome: "unknown", text }
  // Only errors of our own begin like that: the others are what a server says.
  return { outcome: text.startsWith("MCP tool error") ? "refused" : "failed", text }
}

const statusOf = (error: unknown): number | undefined => {
  const { code, data, status } = error as {
    readonly code?: unknown
    readonly status?: unknown
    readonly data?: { readonly status?: unknown }
  }
  return [data?.status, status, code].find((one): one is number => typeof one === "number" && one >= 400 && one < 600)
}

const TIMEOUT = /timed? ?out|-32001/i

export const ofError = (error: unknown): Told => {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string }
  const cause = (error as { readonly cause?: { readonly message?: string } }).cause?.message
  const text = `${String(code ?? "")} ${message ?? String(error)}${cause === undefined ? "" : ` (${cause})`}`.trim()
  const status = statusOf(error)
  if (status === 404) return { outcome: "refused", text, isSessionLost: true }
  if (status === 502 || status === 504) return { outcome: "broken", text }
  if (status !== undefined) return { outcome: "refused", text }
  if (TIMEOUT.test(text)) return { outcome: "lost", text }
  if (typeof code === "number" && code < 0)
    return {
      outcome: MAYBE.test(text) ? "unknown" : "refused",
      text,
      isSessionLost: /session/i.test(text) && code === -32_001
    }
  return { outcome: "broken", text }
}
