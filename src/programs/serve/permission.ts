/**
 * Asks the client that calls a tool whether it may be called. Only a complete yes allows the call: any other answer, and any
 * error, denies it.
 */
import * as Effect from "effect/Effect"
import {
  APPROVAL_ANSWERS,
  describeQuestion,
  type ApprovalAnswer,
  type ApprovalQuestion
} from "../../schemas/call/Approval.ts"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import type { Approver } from "../../services/call/Approvals.ts"
import type { RequestContext } from "../../services/listener/McpListener.ts"

const NAMES: Readonly<Record<ApprovalAnswer, string>> = {
  once: "Allow this call",
  session: "Allow this tool until I disconnect",
  always: "Always allow it, as long as the tool stays what it is",
  deny: "Deny"
}

const FIELD = "decision"

/**
 * When there are several clients, only one with a person can approve for good: else that would apply to all of them and to every process of this
 * user, and the client may be a program.
 */
const offeredTo = (mayKeep: boolean): ReadonlyArray<ApprovalAnswer> =>
  APPROVAL_ANSWERS.filter((answer) => mayKeep || answer !== "always")

/** The oldest form of a choice with names, which all clients support. */
export const toQuestion = (question: ApprovalQuestion, mayKeep: boolean): JsonObject => ({
  message: `mcp-live asks whether ${question.exposed} may be called.\n${describeQuestion(question)}`,
  requestedSchema: {
    type: "object",
    properties: {
      [FIELD]: {
        type: "string",
        title: "May it be called?",
        enum: offeredTo(mayKeep),
        enumNames: offeredTo(mayKeep).map((answer) => NAMES[answer])
      }
    },
    required: [FIELD]
  }
})

export const fromAnswer = ({ action, content }: JsonObject, mayKeep: boolean): ApprovalAnswer => {
  const answer = action === "accept" && isObject(content) ? content[FIELD] : undefined
  return offeredTo(mayKeep).find((offered) => offered === answer) ?? "deny"
}

/** `undefined` when the client cannot show a form. `mayKeep`: it may approve for good. */
export const approverOf = ({ ask, can }: RequestContext, session: string, mayKeep: boolean): Approver | undefined =>
  can.elicitation.form
    ? {
        session,
        approve: (question) =>
          ask("elicitation/create", toQuestion(question, mayKeep)).pipe(
            Effect.map((answer) => fromAnswer(answer, mayKeep)),
            // A client that refuses has answered for its person; a client that fails has not.
            Effect.catchIf(
              ({ reason }) => reason === "refused",
              () => Effect.succeed("deny" as const)
            )
          )
      }
    : undefined
