/**
 * Texts that are not JSON: was one of them meant to be an answer? Some servers print logs and received messages between their messages
 * while they work on a call, and such a line must not end it. So a text counts as a broken answer only if it begins like an object,
 * contains "jsonrpc", and has a result, an error, or the id of a request where answers have it. A text with a method is a printed
 * request.
 */
import { answeredId } from "./readText.ts"
import { SUBSCRIPTION, type Pending } from "./Pending.ts"

/** How much of both ends of a long text is searched. */
const ENDS_CHARS = 512

const OBJECT = /^\s*\{/
const VERSION = /["']jsonrpc["']\s*:/
const METHOD = /["']method["']\s*:/
const OUTCOME = /["'](?:result|error)["']\s*:/

/** The id in a broken answer, if there is one; `undefined` for a text that is no answer. */
const brokenAnswer = (text: string): { readonly id: number | undefined } | undefined => {
  const [head, tail] = [text.slice(0, ENDS_CHARS), text.slice(-ENDS_CHARS)]
  const ends = head + tail
  if (!OBJECT.test(head) || !VERSION.test(ends) || METHOD.test(head)) return undefined
  const id = answeredId(head, tail)
  return id !== undefined || OUTCOME.test(ends) ? { id } : undefined
}

/** The request that waits for an answer, if there is exactly one. */
const onlyOf = (waiting: ReadonlyMap<number, Pending>): Pending | undefined => {
  let only: Pending | undefined
  for (const pending of waiting.values()) {
    if (pending.method === SUBSCRIPTION) continue
    if (only !== undefined) return undefined
    only = pending
  }
  return only
}

/** Marks the request that a text seems to answer, or the only request. Returns whether it will end soon for that. */
export const spoilAnswer = (text: string, waiting: ReadonlyMap<number, Pending>, now: number): boolean => {
  const only = onlyOf(waiting)
  if (only !== undefined) only.rubbish = true
  const broken = brokenAnswer(text)
  const pending = broken?.id === undefined ? broken && only : waiting.get(broken.id)
  pending?.spoil(now)
  return pending !== undefined
}
