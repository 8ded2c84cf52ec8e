/** What happens to a call: progress, the question whether it may be made, and how it ended. */
import { useEffect, useRef } from "preact/hooks"
import type { ApprovalAnswer } from "../../../../../schemas/call/Approval.ts"
import { Result } from "../../result/Result.tsx"
import { ServerText } from "../../text/ServerText.tsx"
import type { Asked, CallState, Progress } from "./useCall.ts"

const ProgressBar = ({ progress }: { readonly progress: Progress | undefined }) => (
  <div class="progress">
    <progress
      aria-label="Progress of the call"
      max={progress?.total ?? 1}
      value={progress?.total === undefined ? undefined : progress.progress}
    />
    <p class="quiet">
      {progress === undefined ? "Called…" : null}
      {progress?.total === undefined ? progress?.progress : `${progress.progress} of ${progress.total}`}
      {progress?.message === undefined ? null : (
        <>
          {" "}
          <ServerText text={progress.message} isInline />
        </>
      )}
    </p>
  </div>
)

const ANSWERS: Readonly<Record<ApprovalAnswer, string>> = {
  once: "Yes, this call",
  session: "Yes, until the session ends",
  always: "Yes, until the tool changes",
  deny: "No"
}

const Question = ({
  asked: { question },
  onAnswer
}: {
  readonly asked: Asked
  readonly onAnswer: (answer: ApprovalAnswer) => void
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section class="notice call-question" data-tone="warn" aria-labelledby="call-question">
      <h4 id="call-question" ref={heading} tabIndex={-1}>
        May this call be made?
      </h4>
      <p>
        The rule “<ServerText text={question.rule} isInline />” asks before <b>{question.server}</b> runs{" "}
        <code>
          <ServerText text={question.tool} isInline />
        </code>
        .
      </p>
      {question.changed ? (
        <p>
          <strong>Careful:</strong> this tool was approved before, but it, or how its server is started, has changed
          since.
        </p>
      ) : null}
      {question.arguments === "" ? <p>Without arguments.</p> : <ServerText text={question.arguments} />}
      <div class="call-actions">
        {(Object.keys(ANSWERS) as ReadonlyArray<ApprovalAnswer>).map((answer) => (
          <button key={answer} type="button" onClick={() => onAnswer(answer)}>
            {ANSWERS[answer]}
          </button>
        ))}
      </div>
    </section>
  )
}

const timeOf = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** In a live region that is always there: a screen reader says what is put into it. */
const wordsFor = (call: CallState): string => {
  switch (call.state) {
    case "done":
      return `${call.result.isError ? "The tool failed" : "Done"} after ${timeOf(call.ms)}.`
    case "cancelled":
      return "Cancelled. The tool may have done its work."
    default:
      return ""
  }
}

export const CallProgress = (props: {
  readonly call: CallState
  readonly tool: string
  readonly onAnswer: (answer: ApprovalAnswer) => void
}) => {
  const { call, onAnswer, tool } = props
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Below a long form, what happens would be out of sight.
    if (call.state !== "idle") box.current?.firstElementChild?.scrollIntoView({ block: "nearest" })
  }, [call.state])
  return (
    <div class="outcome" ref={box}>
      {call.state === "running" && call.asked !== undefined ? (
        <Question key={call.asked.id} asked={call.asked} onAnswer={onAnswer} />
      ) : call.state === "running" ? (
        <ProgressBar progress={call.progress} />
      ) : null}
      <p role="status" class="outcome-words" data-tone={call.state === "done" && call.result.isError ? "bad" : "good"}>
        {wordsFor(call)}
      </p>
      <div role="alert">
        {call.state === "failed" ? (
          <p class="notice" data-tone="bad">
            {call.words}
          </p>
        ) : null}
      </div>
      {call.state === "done" ? <Result from={tool} result={call.result} /> : null}
    </div>
  )
}
