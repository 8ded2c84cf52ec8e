/** The gateway as the page sees it: the requests of the control contract, with their own types, and whether it can be reached. */
import type * as Rpc from "effect/rpc/Rpc"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import type { PageRequests } from "../../../../schemas/control/Personal.ts"

type Requests = RpcGroup.Rpcs<typeof PageRequests>
type Tags = Requests["_tag"]
type Request<Tag extends Tags> = Extract<Requests, { readonly _tag: Tag }>

/** Requests with one answer, and those that go on. */
export type StreamTag = { [Tag in Tags]: Rpc.IsStream<Requests, Tag> extends never ? never : Tag }[Tags]
export type AskTag = Exclude<Tags, StreamTag>

export type Payload<Tag extends Tags> = Rpc.PayloadConstructor<Request<Tag>>
export type Answer<Tag extends AskTag> = Rpc.Success<Request<Tag>>
export type Item<Tag extends StreamTag> = Rpc.SuccessChunk<Request<Tag>>

/**
 * `lost`: it will be tried again. `refused`: the gateway answers, but does not let this page in any more; only a fresh address
 * helps.
 */
export type Link =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  | { readonly state: "lost"; readonly retryAt: number }
  | { readonly state: "refused" }

export interface Followed<A> {
  readonly each: (item: A) => void
  /** The stream has ended: with `error` if it failed, which it does when the connection is lost. */
  readonly end?: (error?: Error) => void
}

export interface Gateway {
  /** Rejects with the error of the contract, with `Unreachable` if nothing was sent, or with `AnswerLost`. */
  readonly ask: <Tag extends AskTag>(tag: Tag, payload: Payload<Tag>) => Promise<Answer<Tag>>
  /** Returns how to end it. */
  readonly follow: <Tag extends StreamTag>(tag: Tag, payload: Payload<Tag>, followed: Followed<Item<Tag>>) => () => void
  /** Tells the state of the connection, now and whenever it changes. Returns how to end it. */
  readonly onLink: (told: (link: Link) => void) => () => void
  /** Tries at once instead of waiting. */
  readonly retry: () => void
}

export class Unreachable extends Error {
  override readonly name = "Unreachable"
  constructor() {
    super("The gateway cannot be reached.")
  }
}

/** The connection was lost before the answer: the gateway may have done what was asked. */
export class AnswerLost extends Unreachable {}

/** What a person is told of a failed request. */
export const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "The gateway could not do this."
  return error.message === "" ? error.name : error.message
}
