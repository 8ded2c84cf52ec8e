/** A call that needs a person's approval: the question, the possible answers, and what is remembered. */
import * as Schema from "effect/Schema"
import type { Person } from "../login/Identity.ts"
import { matchesGlob } from "../data/Glob.ts"
import { canonical } from "../data/Json.ts"
import { anyOf } from "./Approvers.ts"

/** `once`: this call. `session`: this tool until the session ends. `always`: this tool until it changes. */
export const APPROVAL_ANSWERS = ["once", "session", "always", "deny"] as const
/** The possible answers to the question whether a tool may be called. */
export type ApprovalAnswer = (typeof APPROVAL_ANSWERS)[number]

export const isApprovalAnswer = (given: unknown): given is ApprovalAnswer =>
  APPROVAL_ANSWERS.some((answer) => answer === given)

/** Why a call was not approved. `changed`: the tool changed after it was approved. */
export const DENIAL_REASONS = ["person", "nobody", "timeout", "failed", "changed"] as const
export type DenialReason = (typeof DENIAL_REASONS)[number]

/** What a remembered approval applies to. */
export interface ApprovalSubject {
  readonly agent: string
  readonly server: string
  /** A hash of the launch: another program with the same name is another server. */
  readonly launch: string
  /** The server's own name of the tool, cleaned. */
  readonly tool: string
  /** A hash of the tool's definition. */
  readonly definition: string
  /** Whose calls it applies to, if a person who has logged in approved it; the user of the operating system needs none. */
  readonly personId?: string | undefined
}

/** A call that needs approval. The arguments come from the model: show them to the person. */
export interface ApprovalRequest extends ApprovalSubject {
  /** The person whose call it is. */
  readonly person?: Person | undefined
  /** The name that the agent uses. */
  readonly exposed: string
  /** The rule that requires approval, as the operator wrote it. */
  readonly rule: string
  /** The client whose call it is, where the agent has several. */
  readonly client?: string | undefined
  /** Who approves it, if rules name somebody: never the client whose call it is. */
  readonly approvers?: ReadonlyArray<string> | undefined
  readonly args: Readonly<Record<string, unknown>>
}

/** Who may answer: for whoever asks several people. */
export type ApprovalAbout = Partial<Pick<ApprovalRequest, "personId" | "approvers">>

/** The question for a person. Every text in it is safe to show. */
export interface ApprovalQuestion {
  readonly agent: string
  readonly server: string
  readonly tool: string
  readonly exposed: string
  readonly rule: string
  /**
   * The arguments, one per line: `name: value` in JSON. Known secrets are masked, invisible characters escaped, and long
   * values cut in the middle with a note. Empty when there are none.
   */
  readonly arguments: string
  /** The tool was approved for good before, but it or its server has changed since. */
  readonly changed: boolean
  /** Whose call it is: the person who logged in, or the client. */
  readonly caller?: string | undefined
  /** Who approves it, if rules name somebody; such an approval is never for good. */
  readonly approvers?: ReadonlyArray<string> | undefined
}

/** The answers that a question may get. */
export const offeredFor = ({ approvers }: Pick<ApprovalQuestion, "approvers">): ReadonlyArray<ApprovalAnswer> =>
  APPROVAL_ANSWERS.filter((answer) => approvers === undefined || answer !== "always")

/** Whose call it is and whom it waits for, as names with values. */
export const peopleIn = ({
  approvers,
  caller
}: Pick<ApprovalQuestion, "approvers" | "caller">): ReadonlyArray<readonly [what: string, who: string]> => [
  ...(caller === undefined ? [] : [["whose call", caller] as const]),
  ...(approvers === undefined ? [] : [["for approval by", anyOf(approvers)] as const])
]

/** The question as lines for a person. */
export const describeQuestion = ({
  arguments: args,
  changed,
  rule,
  server,
  tool,
  ...question
}: ApprovalQuestion): string =>
  [
    `Server: ${server}`,
    `Tool: ${tool}`,
    `Why you are asked: ${rule}`,
    ...peopleIn(question).map(([what, who]) => `${what[0]!.toUpperCase()}${what.slice(1)}: ${who}`),
    ...(changed
      ? ["Careful: you approved this tool before, but it, or how its server is started, has changed since."]
      : []),
    ...(args === "" ? ["Without arguments."] : ["Arguments:", args])
  ].join("\n")

/** `remembered`: nobody was asked for this call. */
export type Verdict =
  | { readonly allowed: true; readonly by: Exclude<ApprovalAnswer, "deny">; readonly remembered: boolean }
  | { readonly allowed: false; readonly reason: DenialReason }

/** An approval for good. */
export interface RememberedApproval extends ApprovalSubject {
  /** Milliseconds since the epoch. */
  readonly approvedAt: number
  /** The name of that person, for people to read. */
  readonly personName?: string | undefined
}

export class ApprovalsFailed extends Schema.TaggedError<ApprovalsFailed>()("ApprovalsFailed", {
  detail: Schema.String
}) {
  override get message() {
    return `the stored approvals cannot be used: ${this.detail}`
  }
}

/** Approvals without a person keep the keys that they always had. */
const ofPerson = (personId: string | undefined): ReadonlyArray<string> => (personId === undefined ? [] : [personId])

/** Equal for two subjects if and only if one approval applies to both. */
export const subjectKey = ({ agent, definition, launch, personId, server, tool }: ApprovalSubject): string =>
  canonical([agent, server, launch, tool, definition, ...ofPerson(personId)])

/** What is remembered for a session, and who approves it: what was approved without approvers, or by others, does not count. */
export type SessionSubject = ApprovalSubject & Pick<ApprovalRequest, "approvers">

/** The same for what is remembered for a session. */
export const sessionKey = (subject: SessionSubject): string =>
  JSON.stringify([subjectKey(subject), subject.approvers?.toSorted() ?? null])

/** Identifies the tool independently of its definition and launch. */
export const toolKey = ({ agent, personId, server, tool }: ApprovalSubject): string =>
  canonical([agent, server, tool, ...ofPerson(personId)])

/** `AGENT`, `AGENT/SERVER` or `AGENT/SERVER/TOOL` with `*` and `?`; case is ignored. */
export const isNamedBy = ({ agent, server, tool }: ApprovalSubject, pattern: string): boolean => {
  const [wanted, name] = [pattern.toLowerCase(), `${agent}/${server}/${tool}`.toLowerCase()]
  return matchesGlob(wanted, name) || matchesGlob(`${wanted}/*`, name)
}
