/**
 * The question whether a tool may be called, to the client of a session. Only an answer that we offered lets a call
 * through: whatever else comes, or goes wrong, is a no.
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

/** Which tool a question is about, for as long as a session lasts. */
export const subjectOf = ({ server, tool }: ApprovalQuestion): string => JSON.stringify([server, tool])

/**
 * The kind is never the one that the server's hints speak for: there are clients that allow by themselves what says that it
 * only reads.
 */
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
  /** It is not to be asked again in this session. */
  readonly forSession: boolean
}

/** What the client answered, which may be anything. */
export const answerOf = (response: unknown): Answer => {
  const outcome = isObject(response) && isObject(response["outcome"]) ? response["outcome"] : {}
  const chosen =
    outcome["outcome"] === "selected" ? OPTIONS.find(({ optionId }) => optionId === outcome["optionId"]) : undefined
  return { answer: chosen?.answer ?? "deny", forSession: chosen?.forSession ?? false }
}
