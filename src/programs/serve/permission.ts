/**
 * The question whether a tool may be called, to the client that calls it. Only a yes that it gives in full lets a call
 * through: whatever else comes, or goes wrong, is a no.
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
 * One of several clients does not approve for good: that would hold for all of them, for who answers may be a program, and for
 * every process of this user.
 */
const offeredTo = (isOnly: boolean): ReadonlyArray<ApprovalAnswer> =>
  APPROVAL_ANSWERS.filter((answer) => isOnly || answer !== "always")

/** The oldest form of a choice with names, which all clients know. */
export const toQuestion = (question: ApprovalQuestion, isOnly: boolean): JsonObject => ({
  message: `mcp-live asks whether ${question.exposed} may be called.\n${describeQuestion(question)}`,
  requestedSchema: {
    type: "object",
    properties: {
      [FIELD]: {
        type: "string",
        title: "May it be called?",
        enum: offeredTo(isOnly),
        enumNames: offeredTo(isOnly).map((answer) => NAMES[answer])
      }
    },
    required: [FIELD]
  }
})

export const fromAnswer = ({ action, content }: JsonObject, isOnly: boolean): ApprovalAnswer => {
  const answer = action === "accept" && isObject(content) ? content[FIELD] : undefined
  return offeredTo(isOnly).find((offered) => offered === answer) ?? "deny"
}

/** Nobody, where the client cannot show a form. `isOnly`: there is no other client. */
export const approverOf = ({ ask, can }: RequestContext, session: string, isOnly: boolean): Approver | undefined =>
  can.elicitation.form
    ? {
        session,
        approve: (question) =>
          ask("elicitation/create", toQuestion(question, isOnly)).pipe(
            Effect.map((answer) => fromAnswer(answer, isOnly)),
            // A client that says no for its person is a no of theirs; one that breaks is told apart.
            Effect.catchIf(
              ({ reason }) => reason === "refused",
              () => Effect.succeed("deny" as const)
            )
          )
      }
    : undefined
