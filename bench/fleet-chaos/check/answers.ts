/** Each call has an answer within its deadline, and an error has a cause. */
import type { Call } from "../calls.ts"
import type { FaultKind } from "../faults.ts"
import { type Facts, isCounted, type Violation } from "./facts.ts"

/** What clients of a node notice. Whoever ends as it should, or comes, is not noticed. */
const NOTICED: ReadonlySet<FaultKind> = new Set(["kill", "freeze", "database", "silence", "cut", "hold"])
/** How long after a fault its effects may last: a node starts again, and servers with it. */
const AFTERWARDS_MS = 20_000

/** A guest may be killed when it has stayed for long enough. */
const hasCause = ({ faults, kills }: Facts, { began, ended = Infinity }: Call): boolean =>
  faults.some(({ at, kind, until = Infinity }) => NOTICED.has(kind) && at <= ended && until + AFTERWARDS_MS >= began) ||
  kills.some(({ at }) => at <= ended && at + AFTERWARDS_MS >= began)

export const answers = (facts: Facts): ReadonlyArray<Violation> =>
  facts.calls.flatMap((call): ReadonlyArray<Violation> => {
    const { outcome } = call
    if (outcome === undefined || outcome === "lost") {
      return [
        { promise: "every call is answered within its deadline", detail: call.text ?? "it is not answered", call }
      ]
    }
    if (!isCounted(call)) return []
    if (outcome === "failed")
      return [{ promise: "a server that answers well is passed on", detail: call.text ?? "", call }]
    if (outcome === "broken" && !call.hops.some(({ said }) => said.includes("broke"))) {
      return [{ promise: "a connection of a client breaks only with its node", detail: call.text ?? "", call }]
    }
    const isWell = outcome === "success" || (call.server === "limited" && outcome === "refused")
    if (isWell || hasCause(facts, call)) return []
    return [{ promise: "an error has a cause: nodes that end or come are not noticed", detail: call.text ?? "", call }]
  })
