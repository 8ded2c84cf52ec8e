/**
 * `mcp-live ask`: answers the questions of the running gateway here: calls that need approval, and questions of its servers. One at a time; a
 * question that is answered elsewhere is withdrawn.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Command from "effect/cli/Command"
import type { PendingQuestion, QuestionAnswer } from "../../../schemas/control/Question.ts"
import { root, UsageError } from "../command.ts"
import { complain, printJson } from "../output.ts"
import { gatewayFlag } from "../running/choice.ts"
import type { Operator } from "../running/client.ts"
import { withRunningGateway } from "../running/withGateway.ts"
import { askApproval } from "./approve.ts"
import { elicit, type Dialogue } from "./elicit.ts"
import type { Floor } from "./questions.ts"
import { makeFloor } from "./terminal.ts"

/** `muted` has the servers whose questions are refused without asking. */
const answered = (dialogue: Dialogue, question: PendingQuestion, muted: Set<string>): Effect.Effect<QuestionAnswer> => {
  if (question._tag === "Approval") {
    return Effect.map(askApproval(dialogue, question.question), (answer) => ({ _tag: "Approval", answer }))
  }
  const { request } = question
  const result = muted.has(request.server)
    ? Effect.succeed({ action: "decline" } as const)
    : elicit(dialogue, request, () => muted.add(request.server))
  return Effect.map(result, (one) => ({ _tag: "Elicitation", result: one }))
}

/** Attends until it is interrupted. */
export const attend = Effect.fnUntraced(function* (
  { answer, questions }: Pick<Operator, "answer" | "questions">,
  floor: Floor
) {
  /** `undefined` until they attend. */
  const open = yield* SubscriptionRef.make<ReadonlyArray<PendingQuestion> | undefined>(undefined)
  yield* Effect.forkScoped(Stream.runForEach(questions, (now) => SubscriptionRef.set(open, now)))
  const done = new Set<string>()
  const muted = new Set<string>()
  const when = <A>(pick: (now: ReadonlyArray<PendingQuestion>) => A | undefined) =>
    SubscriptionRef.changes(open).pipe(
      Stream.flatMap((now) =>
        Stream.fromIterable(Option.toArray(Option.fromUndefinedOr(now === undefined ? undefined : pick(now))))
      ),
      Stream.runHead,
      Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed }))
    )
  yield* when(() => true)
  yield* complain("questions of the gateway are asked here from now on; Ctrl-C ends this")
  for (;;) {
    const next = yield* when((now) => now.find(({ id }) => !done.has(id)))
    done.add(next.id)
    const gone = when((now) => (now.some(({ id }) => id === next.id) ? undefined : true))
    const asked = floor((dialogue) => answered(dialogue, next, muted))
    const given = yield* Effect.raceFirst(Effect.map(asked, Option.some), Effect.as(gone, Option.none()))
    if (Option.isSome(given) && !(yield* answer(next.id, given.value))) {
      yield* complain("the question is not open any more; this answer does not count")
    }
  }
}, Effect.scoped)

export const ask = Command.make(
  "ask",
  { gateway: gatewayFlag },
  Effect.fnUntraced(function* ({ gateway }) {
    const { json } = yield* root
    if (!json && !(process.stdin.isTTY && process.stderr.isTTY)) {
      return yield* new UsageError({ message: "ask needs a terminal; with --json, it prints what waits for an answer" })
    }
    const body = Effect.fnUntraced(function* (operator: Operator) {
      if (json)
        return yield* printJson({ questions: Option.getOrElse(yield* Stream.runHead(operator.questions), () => []) })
      return yield* attend(operator, makeFloor({ input: process.stdin, output: process.stderr }))
    })
    yield* withRunningGateway(gateway, (_, operator) => body(operator)).pipe(
      // Ctrl-C is the normal end.
      Effect.catchTag("Stopped", (stopped) => (stopped.reason === "SIGINT" ? Effect.void : Effect.fail(stopped)))
    )
  })
).pipe(
  Command.withDescription(
    "Answer here what the running gateway asks: calls that need approval, and questions of its servers. Stays until Ctrl-C. With --json, print what waits and end"
  ),
  Command.withShortDescription("Answer here what the running gateway asks")
)
