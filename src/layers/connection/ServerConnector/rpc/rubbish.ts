/**
 * What is no JSON, and whether it was meant to be an answer. Servers print logs and what they receive to where their messages
 * go, while they work on a call; such a line must not end it. So a text counts only when it begins like an object, speaks of
 * JSON-RPC, and has a result, an error, or the id of a request in the place where answers have it; what names a method is
 * a request that somebody printed.
 */
import { answeredId } from "./readText.ts"
import { SUBSCRIPTION, type Pending } from "./Pending.ts"

/** Of a long text, where its members are looked for. */
const ENDS_CHARS = 512

const OBJECT = /^\s*\{/
const VERSION = /["']jsonrpc["']\s*:/
const METHOD = /["']method["']\s*:/
const OUTCOME = /["'](?:result|error)["']\s*:/

/** The request that it answers, where it says so; `undefined` when it is no answer. */
const brokenAnswer = (text: string): { readonly id: number | undefined } | undefined => {
  const [head, tail] = [text.slice(0, ENDS_CHARS), text.slice(-ENDS_CHARS)]
  const ends = head + tail
  if (!OBJECT.test(head) || !VERSION.test(ends) || METHOD.test(head)) return undefined
  const id = answeredId(head, tail)
  return id !== undefined || OUTCOME.test(ends) ? { id } : undefined
}

/** The request that waits for an answer, when there is exactly one. */
const onlyOf = (waiting: ReadonlyMap<number, Pending>): Pending | undefined => {
  let only: Pending | undefined
  for (const pending of waiting.values()) {
    if (pending.method === SUBSCRIPTION) continue
    if (only !== undefined) return undefined
    only = pending
  }
  return only
}

/** Tells the request that a text seems to answer, or the only one there is; `true` when one of them ends soon now. */
export const spoilAnswer = (text: string, waiting: ReadonlyMap<number, Pending>, now: number): boolean => {
  const only = onlyOf(waiting)
  if (only !== undefined) only.rubbish = true
  const broken = brokenAnswer(text)
  const pending = broken?.id === undefined ? broken && only : waiting.get(broken.id)
  pending?.spoil(now)
  return pending !== undefined
}
