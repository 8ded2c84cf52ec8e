/** A call that a person must approve: what they are asked, what they may answer, and what is remembered of that. */
import * as Schema from "effect/Schema"
import { matchesGlob } from "../data/Glob.ts"
import { canonical } from "../data/Json.ts"

/** `once`: this call. `session`: this tool until the session ends. `always`: this tool as long as it stays what it is. */
export const APPROVAL_ANSWERS = ["once", "session", "always", "deny"] as const
/** What a person may answer to the question whether a tool may be called. */
export type ApprovalAnswer = (typeof APPROVAL_ANSWERS)[number]

export const isApprovalAnswer = (given: unknown): given is ApprovalAnswer =>
  APPROVAL_ANSWERS.some((answer) => answer === given)

/** Why a call was not approved. `changed`: what was approved is not what would be called by now. */
export const DENIAL_REASONS = ["person", "nobody", "timeout", "failed", "changed"] as const
export type DenialReason = (typeof DENIAL_REASONS)[number]

/** What an approval that is remembered holds for. */
export interface ApprovalSubject {
  readonly agent: string
  readonly server: string
  /** How the server is launched, as a hash: another program behind the same name is another server. */
  readonly launch: string
  /** The server's own name of the tool, cleaned. */
  readonly tool: string
  /** The definition of the tool, as a hash. */
  readonly definition: string
}

/** A call that a person is asked about. Show them the arguments: they are the model's. */
export interface ApprovalRequest extends ApprovalSubject {
  /** The name that the agent uses. */
  readonly exposed: string
  /** The rule that asks, as the operator wrote it. */
  readonly rule: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What a person is asked. Every text in it can be shown as it is. */
export interface ApprovalQuestion {
  readonly agent: string
  readonly server: string
  readonly tool: string
  readonly exposed: string
  readonly rule: string
  /**
   * The arguments, one on a line: `name: value` in JSON, known secrets masked, characters that cannot be seen escaped, and
   * what is too long cut in the middle with a note. Empty when there are none.
   */
  readonly arguments: string
  /** It was approved for good once, but it or its server is not what it was then. */
  readonly changed: boolean
}

/** In lines, for a person to read. */
export const describeQuestion = ({ arguments: args, changed, rule, server, tool }: ApprovalQuestion): string =>
  [
    `Server: ${server}`,
    `Tool: ${tool}`,
    `Why you are asked: ${rule}`,
    ...(changed
      ? ["Careful: you approved this tool before, but it, or what its server runs, is not what it was then."]
      : []),
    ...(args === "" ? ["Without arguments."] : ["Arguments:", args])
  ].join("\n")

/** `remembered`: nobody was asked now. */
export type Verdict =
  | { readonly allowed: true; readonly by: Exclude<ApprovalAnswer, "deny">; readonly remembered: boolean }
  | { readonly allowed: false; readonly reason: DenialReason }

/** A tool that was approved for good. */
export interface RememberedApproval extends ApprovalSubject {
  /** Milliseconds since the epoch. */
  readonly approvedAt: number
}

export class ApprovalsFailed extends Schema.TaggedError<ApprovalsFailed>()("ApprovalsFailed", {
  detail: Schema.String
}) {
  override get message() {
    return `the approvals that are kept cannot be used: ${this.detail}`
  }
}

/** Equal for two subjects exactly when one approval holds for both. */
export const subjectKey = ({ agent, definition, launch, server, tool }: ApprovalSubject): string =>
  canonical([agent, server, launch, tool, definition])

/** What a person would call the same tool, whatever has become of it. */
export const toolKey = ({ agent, server, tool }: ApprovalSubject): string => canonical([agent, server, tool])

/** `AGENT`, `AGENT/SERVER` or `AGENT/SERVER/TOOL`, in any case, with `*` and `?`. */
export const isNamedBy = ({ agent, server, tool }: ApprovalSubject, pattern: string): boolean => {
  const [wanted, name] = [pattern.toLowerCase(), `${agent}/${server}/${tool}`.toLowerCase()]
  return matchesGlob(wanted, name) || matchesGlob(`${wanted}/*`, name)
}
