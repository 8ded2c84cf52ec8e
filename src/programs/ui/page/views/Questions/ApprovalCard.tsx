/** A call that needs approval: exactly what would be sent, why somebody is asked, and the answers. */
import { Fragment } from "preact"
import {
  offeredFor,
  peopleIn,
  type ApprovalAnswer,
  type ApprovalQuestion
} from "../../../../../schemas/call/Approval.ts"

export interface ApprovalProps {
  readonly id: string
  readonly question: ApprovalQuestion
  readonly isBusy: boolean
  readonly mayAnswer: boolean
  readonly answer: (answer: ApprovalAnswer) => void
}

const ANSWERS: ReadonlyArray<readonly [answer: ApprovalAnswer, words: string, about: string, kind: string]> = [
  ["once", "Yes, once", "this call", "main"],
  ["always", "Yes, for good", "this tool, until it changes", ""],
  ["deny", "No", "this call is not made", "danger"]
]

export const ApprovalCard = ({ answer, id, isBusy, mayAnswer, question }: ApprovalProps) => (
  <article class="panel question" aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>
      {question.agent} wants to call {question.tool} of {question.server}
    </h2>
    {question.changed ? (
      <p class="problem">You approved this tool before, but it, or how its server is started, has changed since.</p>
    ) : null}
    <dl class="pairs">
      <dt>name</dt>
      <dd>
        <code>{question.exposed}</code>
      </dd>
      <dt>why you are asked</dt>
      <dd>
        <code>{question.rule}</code>
      </dd>
      {peopleIn(question).map(([what, who]) => (
        <Fragment key={what}>
          <dt>{what}</dt>
          <dd>{who}</dd>
        </Fragment>
      ))}
    </dl>
    <h3>What would be sent</h3>
    {question.arguments === "" ? <p class="quiet">No arguments.</p> : <pre class="sent">{question.arguments}</pre>}
    <p class="actions">
      {ANSWERS.filter(([each]) => offeredFor(question).includes(each)).map(([each, words, about, kind]) => (
        <button
          key={each}
          type="button"
          class={kind}
          title={about}
          disabled={isBusy || !mayAnswer}
          onClick={() => answer(each)}
        >
          {words}
        </button>
      ))}
    </p>
  </article>
)
