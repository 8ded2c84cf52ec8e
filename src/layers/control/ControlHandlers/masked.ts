/** The last mask before an answer: known secrets are hidden in every text of a value, wherever it comes from. */
import type { Redactor } from "../../../services/content/Redactor.ts"

export type Masked = <A>(value: A) => A

export const makeMasked = ({ isEmpty, redact }: Redactor["Service"]): Masked => {
  const masked = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value)
    if (Array.isArray(value)) return value.map(masked)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [redact(key), masked(member)]))
  }
  return <A>(value: A): A => (isEmpty() ? value : (masked(value) as A))
}
