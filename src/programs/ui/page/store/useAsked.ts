/** An answer of the gateway for a component: asked when it is shown, when the question changes, and when the connection is there again. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { useStore } from "./context.ts"
import { type Answer, type AskTag, type Payload, wordsOf } from "./Gateway.ts"

export interface Asked<A> {
  /** The last answer to this question; it stays while a newer one is on its way. */
  readonly value: A | undefined
  /** Why the last attempt failed, in words. */
  readonly fault: string | undefined
  readonly again: () => void
}

export const useAsked = <Tag extends AskTag>(tag: Tag, payload: Payload<Tag>): Asked<Answer<Tag>> => {
  const { gateway, link } = useStore()
  const question = JSON.stringify([tag, payload])
  const isOpen = link.value.state === "open"
  const [said, setSaid] = useState<{ question: string; value?: Answer<Tag>; fault?: string }>({ question })
  // An answer to an earlier question may come after that to a later one.
  const turn = useRef(0)
  const again = useCallback(() => {
    const mine = ++turn.current
    const isLast = () => mine === turn.current
    gateway.ask(tag, payload).then(
      (value) => isLast() && setSaid({ question, value }),
      (error: unknown) =>
        isLast() &&
        setSaid((before) => ({ ...(before.question === question ? before : { question }), fault: wordsOf(error) }))
    )
  }, [gateway, question])
  useEffect(() => {
    if (isOpen) again()
    return () => {
      turn.current++
    }
  }, [again, isOpen])
  const current = said.question === question ? said : undefined
  return { value: current?.value, fault: current?.fault, again }
}
