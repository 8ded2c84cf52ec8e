/** From facts to findings. Pure. */
import { CHECKS } from "./Checks.ts"
import type { Facts } from "./Facts.ts"
import { type Finding, SEVERITIES } from "./Finding.ts"

/** Says only that a server is down. */
const SYMPTOM = "server-down"

/** The worst first. That a server is down is left out where another error says why. */
export const diagnose = (facts: Facts): ReadonlyArray<Finding> => {
  const found = CHECKS.flatMap((check) => check(facts))
  const explained = new Set(
    found.flatMap(({ id, server, severity }) => (severity === "error" && id !== SYMPTOM ? [server] : []))
  )
  return found
    .filter(({ id, server }) => id !== SYMPTOM || !explained.has(server))
    .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
}
