/** The view Questions: what waits for a person. It is answered here or at the terminal; the first answer counts. */
import { useState } from "preact/hooks"
import type { PendingQuestion, QuestionAnswer } from "../../../../../schemas/control/Question.ts"
import { some } from "../../format.ts"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { ApprovalCard } from "./ApprovalCard.tsx"
import { ElicitationCard } from "./ElicitationCard.tsx"
import { Remembered } from "./Remembered.tsx"

const ELSEWHERE = "It was answered elsewhere, or has ended."

export const Questions = () => {
  const { gateway, hello, mayChange, questions } = useStore()
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set())
  const [said, setSaid] = useState("")

  const send = async (id: string, answer: QuestionAnswer) => {
    setBusy((before) => new Set(before).add(id))
    try {
      const isTaken = await gateway.ask("AnswerQuestion", { id, answer })
      setSaid(isTaken ? "Your answer was taken." : ELSEWHERE)
    } catch (error) {
      setSaid(wordsOf(error))
    }
    setBusy((before) => new Set([...before].filter((each) => each !== id)))
    // The button that had the focus is gone with its question.
    document.getElementById("view-title")?.focus()
  }
  const cardOf = (asked: PendingQuestion) => {
    const same = { id: asked.id, isBusy: busy.has(asked.id), mayAnswer: mayChange.value }
    return asked._tag === "Approval" ? (
      <ApprovalCard
        {...same}
        question={asked.question}
        answer={(answer) => void send(asked.id, { _tag: "Approval", answer })}
      />
    ) : (
      <ElicitationCard
        {...same}
        request={asked.request}
        answer={(result) => void send(asked.id, { _tag: "Elicitation", result })}
      />
    )
  }
  const open = questions.value
  const isPersons = hello.value?.person !== undefined
  const about =
    open.length === 0
      ? "Nothing waits for you."
      : `${some(open.length, "question")} open; the first answer counts${isPersons ? "" : ", here or at the terminal"}`
  return (
    <>
      <ViewHead title="Questions" about={about} />
      <p class="said" role="status">
        {said}
      </p>
      {mayChange.value ? null : <p class="quiet">This page may only look: answer at the terminal.</p>}
      <ul class="questions">
        {open.map((asked) => (
          <li key={asked.id}>{cardOf(asked)}</li>
        ))}
      </ul>
      {isPersons ? null : <Remembered />}
    </>
  )
}
