/** Who may see and call which tool. Asked when listing and again when calling. */
import * as Context from "effect/Context"
import type { ToolRules } from "../../schemas/config/GatewayConfig.ts"

/** The tool that a decision is about. */
export interface ToolSubject {
  /** The name that the agent uses. */
  readonly exposed: string
  readonly server: string
  /** The server's own name of the tool. */
  readonly tool: string
}

/** Whether a tool may be used, and which rule says so. */
export interface Decision {
  readonly allowed: boolean
  /** Where it is allowed: each call of it needs the approval of a person. */
  readonly ask?: true
  /** The rule that decided, as the operator wrote it. */
  readonly rule: string
}

/** Decides which tools an agent may see and call. It is asked when tools are listed and again at each call. */
export class ToolPolicy extends Context.Service<
  ToolPolicy,
  {
    /**
     * Rules are globs (`*`, `?`) over the exposed name and over `server/tool`, without regard to case. Each set of rules
     * must let the tool pass; within a set `deny` wins over `allow`, and an `allow` that is there but does not match
     * denies. What passes needs approval where `ask` of any set matches: nothing else lifts that, neither an `allow` nor
     * what a server says of its tool. A malformed rule denies.
     */
    readonly decide: (rules: ReadonlyArray<ToolRules>, subject: ToolSubject) => Decision
  }
>()("mcp-live/services/ToolPolicy") {}
