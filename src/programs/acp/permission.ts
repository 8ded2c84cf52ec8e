/**
 * Asks the client of a session whether a tool may be called. Only an answer that we offered allows the call: any other
 * answer, and any error, denies it.
 */
import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk"
import { describeQuestion, type ApprovalAnswer, type ApprovalQuestion } from "../../schemas/call/Approval.ts"
import { isObject } from "../../schemas/data/Json.ts"

const OPTIONS: ReadonlyArray<PermissionOption & { readonly answer: ApprovalAnswer; readonly forSession: boolean }> = [
  { optionId: "allow_once", kind: "allow_once", name: "Allow once", answer: "once", forSession: false },
  {
    optionId: "allow_always",
    kind: "allow_always",
    name: "Always allow, as long as the tool stays what it is",
    answer: "always",
    forSession: false
  },
  { optionId: "reject_once", kind: "reject_once", name: "Reject once", answer: "deny", forSession: false },
  {
    optionId: "reject_always",
    kind: "reject_always",
    name: "Reject for the rest of this session",
    answer: "deny",
    forSession: true
  }
]

/** Identifies the tool that a question is about, within a session. */
export const subjectOf = ({ server, tool }: ApprovalQuestion): string => JSON.stringify([server, tool])

/** The kind does not follow the server's hints: some clients approve by themselves what claims to be read-only. */
export const requestOf = (
  sessionId: string,
  toolCallId: string,
  question: ApprovalQuestion
): RequestPermissionRequest => ({
  sessionId,
  toolCall: {
    toolCallId,
    title: question.exposed,
    kind: "other",
    status: "pending",
    content: [{ type: "content", content: { type: "text", text: describeQuestion(question) } }]
  },
  options: OPTIONS.map(({ kind, name, optionId }) => ({ kind, name, optionId }))
})

export interface Answer {
  readonly answer: ApprovalAnswer
  /** Do not ask again in this session. */
  readonly forSession: boolean
}

/** Decodes the client's answer, which may be anything. */
export const answerOf = (response: unknown): Answer => {
  const outcome = isObject(response) && isObject(response["outcome"]) ? response["outcome"] : {}
  const chosen =
    outcome["outcome"] === "selected" ? OPTIONS.find(({ optionId }) => optionId === outcome["optionId"]) : undefined
  return { answer: chosen?.answer ?? "deny", forSession: chosen?.forSession ?? false }
}
