/** What was seen of one client against one server: facts only, no judgement and not which client it was. */

/** What a text held that no model should get. */
export const HARMS = {
  control: "terminal or control characters",
  hidden: "invisible characters",
  marker: "a forged boundary",
  token: "a special token of a model",
  surrogate: "half characters",
  secret: "the secret"
} as const
export type Harm = keyof typeof HARMS

export interface TextFacts {
  readonly chars: number
  /** How it begins, for people to read. */
  readonly excerpt: string
  /** Of the texts that were looked for, those that it holds. */
  readonly holds: ReadonlyArray<string>
  readonly harms: ReadonlyArray<Harm>
}

/** `use` is the call, the reading or the prompt. */
export type StepName = "connect" | "list" | "use" | "close"

export interface Step {
  readonly step: StepName
  readonly ms: number
  /** Bytes, the highest of the process so far. */
  readonly peak: number
  /** Milliseconds, the longest that the event loop stood still so far. */
  readonly stallMs: number
  /** What an agent would show its model, or of an error, its message. */
  readonly text?: TextFacts
  /** The name of an error; without one the step went well. */
  readonly failed?: string
  /** The server's own names of the tools that are listed. */
  readonly tools?: ReadonlyArray<string>
  readonly isError?: boolean
  /** Milliseconds of the slowest call to an honest server beside it, while it was used. */
  readonly besideMs?: number
  /** What an honest server beside it failed with. */
  readonly besideFailed?: string
}

export interface Observation {
  readonly steps: ReadonlyArray<Step>
  /** `done`: the client was closed; `crash`: its process ended before; `hang`: the hard deadline passed before. */
  readonly end: "done" | "crash" | "hang"
  /** Of a crash, how. */
  readonly endDetail: string
  /** Processes of the server that were still there when they should not. */
  readonly left: number
  /** What each request was allowed. */
  readonly timeoutMs: number
}
