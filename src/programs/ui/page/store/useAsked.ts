/** What a view asks the gateway for, and asks anew when something has changed or the connection is back. */
import { useEffect, useRef, useState } from "preact/hooks"
import { useStore } from "./context.ts"
import { wordsOf, type Answer, type AskTag, type Payload } from "./Gateway.ts"

export interface Asked<A> {
  /** The last answer, which stays while the next one is awaited. */
  readonly value: A | undefined
  /** Why there is no newer one. */
  readonly error: string | undefined
  readonly again: () => void
}

/**
 * Asks when it is shown, and whenever `payload` or one of `also` is another. `payload` is compared as JSON. With `null`, nothing is
 * asked; `undefined` is the payload of requests that have none.
 */
export const useAsked = <Tag extends AskTag>(
  tag: Tag,
  payload: Payload<Tag> | null,
  also: ReadonlyArray<unknown> = []
): Asked<Answer<Tag>> => {
  const { gateway, link, revisions } = useStore()
  const [state, setState] = useState<{ readonly value?: unknown; readonly error?: string; readonly of: string }>({
    of: ""
  })
  const [turn, setTurn] = useState(0)
  const latest = useRef(0)
  const of = payload === null ? "" : `of ${JSON.stringify(payload)}`
  const isOpen = link.value.state === "open"
  useEffect(() => {
    if (payload === null || !isOpen) return
    const mine = ++latest.current
    gateway.ask(tag, payload).then(
      (value) => {
        if (mine === latest.current) setState({ value, of })
        return undefined
      },
      (error: unknown) => {
        if (mine === latest.current) setState((before) => ({ ...before, error: wordsOf(error), of }))
      }
    )
    return () => {
      latest.current++
    }
    // `payload` is in `of`.
  }, [gateway, tag, of, isOpen, turn, revisions.value.all, ...also])
  // What was answered to another question is no answer to this one.
  const isMine = state.of === of
  return {
    value: isMine ? (state.value as Answer<Tag>) : undefined,
    error: isMine ? state.error : undefined,
    again: () => setTurn((before) => before + 1)
  }
}
