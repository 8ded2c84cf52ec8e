/** Decides which tools an agent may see and call. */
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

/** Whether a tool may be used, and the rule that decided. */
export interface Decision {
  readonly allowed: boolean
  /** An allowed tool whose calls each need the approval of a person. */
  readonly ask?: true
  /** Who approves, if rules name somebody; without them, the person whose call it is. */
  readonly approvers?: ReadonlyArray<string> | undefined
  /** The rule, as the operator wrote it. */
  readonly rule: string
}

/** Decides which tools an agent may see and call. It is asked when tools are listed and again at each call. */
export class ToolPolicy extends Context.Service<
  ToolPolicy,
  {
    /**
     * Rules are globs (`*`, `?`) over the exposed name and over `server/tool`; case is ignored. Every set of rules must let
     * the tool pass. Within a set `deny` wins over `allow`, and a tool that matches none of the entries of a present `allow`
     * is denied. A tool that passes needs approval where `ask` of any set matches; neither an `allow` nor the server's
     * annotations lift that. A malformed rule denies.
     */
    readonly decide: (rules: ReadonlyArray<ToolRules>, subject: ToolSubject) => Decision
  }
>()("mcp-live/services/ToolPolicy") {}
