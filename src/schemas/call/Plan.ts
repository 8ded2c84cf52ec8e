/** What an agent gets, tool by tool, with the reasons: the answer to "why is this tool not there?". */
import * as Schema from "effect/Schema"
import { TOKEN_CHARS } from "../defaults/Control.ts"
import type { AgentTool } from "./Tool.ts"

export const PLANNED = ["listed", "searched", "denied", "withheld", "suspicious", "unavailable"] as const

export const PlannedTool = Schema.Struct({
  /** The exposed name. */
  name: Schema.String,
  /** The server's own name of it, cleaned. */
  tool: Schema.String,
  /**
   * `listed`: the agent gets it. `searched`: it finds it by a search, because there are so many. `denied`: by a rule. `withheld`: until its
   * definition is approved. `suspicious`: by the server's `onFinding`. `unavailable`: its server has been given up.
   */
  state: Schema.Literals(PLANNED),
  /** The rule that decided. */
  rule: Schema.String,
  /** Whether each call needs approval. */
  asks: Schema.Boolean,
  /** Who approves, if rules name somebody. */
  approvers: Schema.optionalKey(Schema.Array(Schema.String)),
  pin: Schema.Literals(["approved", "new", "changed", "rejected"]),
  /** What its definition takes of a model's context, as an estimate. */
  tokens: Schema.Finite
})
export type PlannedTool = typeof PlannedTool.Type

export const PlannedServer = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(["Disabled", "Idle", "Connecting", "Ready", "Backoff", "Failed", "Closed"]),
  /** What it waits for, as its status says. */
  waits: Schema.optionalKey(Schema.Literals(["login", "person"])),
  /** Why it offers nothing, or nothing yet. */
  detail: Schema.NullOr(Schema.String),
  tools: Schema.Array(PlannedTool),
  /** Of the tools that are listed. */
  tokens: Schema.Finite
})
export type PlannedServer = typeof PlannedServer.Type

/** What a configuration that is not applied yet would change for the agent. */
export const PlannedTools = Schema.Struct({
  appear: Schema.Array(Schema.String),
  disappear: Schema.Array(Schema.String)
})

/** What the rules of clients make of the one that the plan is for. */
const PlannedClient = Schema.Struct({
  name: Schema.String,
  /** Whether any rule lets it in; without rules, every client is. */
  isLetIn: Schema.Boolean,
  /** The rules that match it. */
  rules: Schema.Array(Schema.String),
  /** Servers whose resources and prompts it does not get. */
  unreached: Schema.Array(Schema.String)
})

export const Plan = Schema.Struct({
  agent: Schema.String,
  /** Only in the plan for one client. */
  client: Schema.optionalKey(PlannedClient),
  servers: Schema.Array(PlannedServer),
  /** Tools of the runtime itself. */
  own: Schema.Array(Schema.Struct({ name: Schema.String, tokens: Schema.Finite })),
  /** Of all tools in the list of the agent. */
  tokens: Schema.Finite,
  /** Of the tools that a search finds instead; 0 without a search. */
  searchedTokens: Schema.Finite,
  /** Only for a configuration that was given: of servers that would start, the tools are unknown. */
  next: Schema.optionalKey(PlannedTools)
})
export type Plan = typeof Plan.Type

/** Names, descriptions and schemas are what a model is sent. */
export const tokensOf = ({ description, name, parameters }: AgentTool): number =>
  Math.ceil(JSON.stringify({ name, description, parameters }).length / TOKEN_CHARS)
