/** Where the questions of this process for a person can also be answered from another terminal. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Caller } from "../../schemas/call/Caller.ts"
import type { PendingQuestion, QuestionAnswer } from "../../schemas/control/Question.ts"

/**
 * Where the questions of this process for a person can be answered. Whoever runs `questions` attends: from then on, calls that nobody could
 * approve before wait for an answer. The first answer counts, wherever it comes from.
 */
export class Desk extends Context.Service<
  Desk,
  {
    /** The same as `questions`, for somebody who does not attend. */
    readonly shown: Stream.Stream<ReadonlyArray<PendingQuestion>>
    /** All open questions, now and after each change. */
    readonly questions: Stream.Stream<ReadonlyArray<PendingQuestion>>
    /** `false` when the question is not open any more, or the answer is of another kind. */
    readonly answer: (id: string, answer: QuestionAnswer) => Effect.Effect<boolean>
    /**
     * The open questions that somebody who has logged in may answer: about their own calls, or because rules name them. They attend to those, and
     * to no others. `undefined` from when they may answer nothing any more.
     */
    readonly questionsOf: (caller: () => Caller | undefined) => Stream.Stream<ReadonlyArray<PendingQuestion>>
    /** Their answer, which is recorded as theirs. `false` as above, and for a question that is not theirs to answer. */
    readonly answerOf: (caller: Caller, id: string, answer: QuestionAnswer) => Effect.Effect<boolean>
  }
>()("mcp-live/services/Desk") {}
