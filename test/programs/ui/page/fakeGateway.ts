/** A gateway in the hands of a test: what it answers, what it tells, and whether it can be reached. */
import type {
  Answer,
  AskTag,
  Followed,
  Gateway,
  Item,
  Link,
  Payload,
  StreamTag
} from "../../../../src/programs/ui/page/store/Gateway.ts"
import { Unreachable } from "../../../../src/programs/ui/page/store/Gateway.ts"

export type Answers = { readonly [Tag in AskTag]?: (payload: Payload<Tag>) => Answer<Tag> | Promise<Answer<Tag>> }

export interface FakeGateway extends Gateway {
  /** What was asked, in order. */
  readonly asked: Array<{ readonly tag: string; readonly payload: unknown }>
  /** The streams that are followed now. */
  readonly followed: Array<{ readonly tag: string; readonly payload: unknown }>
  /** To all who follow it. */
  readonly tell: <Tag extends StreamTag>(tag: Tag, item: Item<Tag>) => void
  readonly setLink: (link: Link) => void
}

export const fakeGateway = (answers: Answers = {}): FakeGateway => {
  const asked: FakeGateway["asked"] = []
  const followed: Array<{ readonly tag: string; readonly payload: unknown; readonly by: Followed<never> }> = []
  const listeners = new Set<(link: Link) => void>()
  let link: Link = { state: "open" }
  return {
    asked,
    followed,
    ask: async (tag, payload) => {
      asked.push({ tag, payload })
      const answer = answers[tag]
      if (link.state !== "open" || answer === undefined) throw new Unreachable()
      return answer(payload)
    },
    follow: (tag, payload, by) => {
      const mine = { tag, payload, by: by as Followed<never> }
      followed.push(mine)
      return () => {
        const place = followed.indexOf(mine)
        if (place !== -1) followed.splice(place, 1)
      }
    },
    tell: (tag, item) => {
      for (const { by, tag: its } of followed) if (its === tag) by.each(item as never)
    },
    onLink: (told) => {
      listeners.add(told)
      told(link)
      return () => void listeners.delete(told)
    },
    setLink: (next) => {
      link = next
      for (const told of listeners) told(next)
      if (next.state === "open") return
      for (const { by } of followed.splice(0)) by.end?.(new Unreachable())
    },
    retry: () => {}
  }
}
