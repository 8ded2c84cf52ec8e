/** Questions that wait for a person, and their answers, as they cross the control contract. */
import * as Schema from "effect/Schema"
import type { ElicitationRequest, ElicitationResult } from "../content/HostRequest.ts"
import { AnswerValue, asIs, QuestionValue } from "./Values.ts"

/** `Approval`: a call that needs approval. `Elicitation`: a question of a server. Every text in them is safe to show. */
export const PendingQuestion = Schema.Union([
  Schema.TaggedStruct("Approval", { id: Schema.String, question: QuestionValue }),
  Schema.TaggedStruct("Elicitation", { id: Schema.String, request: asIs<ElicitationRequest>() })
])
export type PendingQuestion = typeof PendingQuestion.Type

/** Of the same kind as its question. What a form may contain is checked where any answer is. */
export const QuestionAnswer = Schema.Union([
  Schema.TaggedStruct("Approval", { answer: AnswerValue }),
  Schema.TaggedStruct("Elicitation", { result: asIs<ElicitationResult>() })
])
export type QuestionAnswer = typeof QuestionAnswer.Type
