/** What the checks know of a run, and what they find. */
import type { Call } from "../calls.ts"
import type { Fault, Kill } from "../faults.ts"
import type { Seen } from "../load.ts"

/** One line of what the counted server has written. */
export interface Execution {
  readonly call: string
  readonly at: number
}

/** One row of the journal. */
export interface Row {
  readonly node: string
  readonly client: string
  readonly server: string
  readonly tool: string
  readonly at: number
  /** `null`: it is open. */
  readonly outcome: "done" | "failed" | "unknown" | null
}

export interface Facts {
  readonly calls: ReadonlyArray<Call>
  /** Executions of calls, by the name of the call. */
  readonly executions: ReadonlyMap<string, ReadonlyArray<Execution>>
  readonly journal: ReadonlyArray<Row>
  readonly faults: ReadonlyArray<Fault>
  readonly kills: ReadonlyArray<Kill>
  readonly seen: Seen
  readonly ended: number
}

export interface Violation {
  readonly promise: string
  readonly detail: string
  readonly call?: Call
  readonly rows?: ReadonlyArray<Row>
}

export const isCounted = ({ server }: Pick<Call, "server">): boolean => server === "counted" || server === "limited"
export const mayRunTwice = ({ tool }: Pick<Call, "tool">): boolean => tool.startsWith("again_")
