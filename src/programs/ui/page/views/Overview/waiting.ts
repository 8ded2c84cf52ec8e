/** What waits for a person, the most urgent first. */
import type { ConfigState } from "../../../../../schemas/config/ConfigState.ts"
import type { PendingQuestion } from "../../../../../schemas/control/Question.ts"
import { some } from "../../format.ts"
import type { ViewName } from "../../router.ts"
import type { Statuses } from "../../store/Store.ts"

export interface WaitingItem {
  readonly key: string
  readonly words: string
  readonly detail?: string
  readonly leads: { readonly view: ViewName; readonly name?: string }
  readonly tone: "bad" | "warn"
}

export interface Known {
  readonly questions: ReadonlyArray<PendingQuestion>
  readonly statuses: Statuses
  readonly configuration: ConfigState | undefined
}

const questionItem = (question: PendingQuestion): WaitingItem => ({
  key: question.id,
  words:
    question._tag === "Approval"
      ? `${question.question.agent} wants to call ${question.question.tool} of ${question.question.server}`
      : `${question.request.server} asks you something`,
  leads: { view: "questions" },
  tone: "warn"
})

export const waitingFor = ({ configuration, questions, statuses }: Known): ReadonlyArray<WaitingItem> => [
  ...questions.map(questionItem),
  ...(configuration?.fault == null
    ? []
    : [
        {
          key: "fault",
          words: "The configuration cannot be used as it is now; the previous one stays in effect",
          detail: configuration.fault,
          leads: { view: "configuration" },
          tone: "bad"
        } as const
      ]),
  ...Object.entries(statuses).flatMap(([name, { lastError, state, unreviewed = 0, waits, withheld = 0 }]) => [
    ...(state === "Failed" && waits === undefined
      ? [
          {
            key: `failed ${name}`,
            words: `${name} has failed, and is not tried again by itself`,
            ...(lastError === null ? {} : { detail: lastError }),
            leads: { view: "server", name },
            tone: "bad"
          } as const
        ]
      : []),
    ...(withheld > 0
      ? [
          {
            key: `withheld ${name}`,
            words: `${name}: ${some(withheld, "changed definition")} withheld until you decide`,
            leads: { view: "pins" },
            tone: "warn"
          } as const
        ]
      : unreviewed > 0
        ? [
            {
              key: `unreviewed ${name}`,
              words: `${name}: ${some(unreviewed, "definition")} to review`,
              leads: { view: "pins" },
              tone: "warn"
            } as const
          ]
        : [])
  ]),
  ...(configuration === undefined || configuration.pending.length === 0
    ? []
    : [
        {
          key: "pending",
          words: `Takes effect when the gateway is started again: ${configuration.pending.join(", ")}`,
          leads: { view: "configuration" },
          tone: "warn"
        } as const
      ])
]
