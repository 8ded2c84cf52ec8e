/** Nothing is executed more often than it may be, and what a client is told about the execution of its call is true. */
import { RUNS_MAX } from "../../../src/schemas/defaults/Fleet.ts"
import { type Facts, isCounted, mayRunTwice, type Violation } from "./facts.ts"

export const executions = ({ calls, executions }: Facts): ReadonlyArray<Violation> =>
  calls.filter(isCounted).flatMap((call): ReadonlyArray<Violation> => {
    const times = executions.get(call.id)?.length ?? 0
    const { outcome, text } = call
    if (times > (mayRunTwice(call) ? RUNS_MAX : 1)) {
      return [
        { promise: "no call is executed more often than it may be", detail: `it was executed ${times} times`, call }
      ]
    }
    if ((outcome === "success" || outcome === "executed") && times === 0) {
      return [{ promise: "a call that is said to be executed was", detail: "it was not executed", call }]
    }
    if (outcome === "refused" && times > 0) {
      return [{ promise: "a call that is said not to be executed was not", detail: text ?? "", call }]
    }
    return []
  })
