/**
 * What the holder of a token makes us keep: requests under way and their bodies, answers that are not read, results of tasks, and
 * what it may come back for. All of it is bounded for each holder and for all together, so that one who sends much or does not
 * read is in nobody else's way.
 */
import type { ServerResponse } from "node:http"
import {
  LISTENER_CONNECTIONS_EACH_MAX,
  LISTENER_EVENTS_IN_ALL_MAX_CHARS,
  LISTENER_EVENTS_MAX_CHARS,
  LISTENER_TASK_RESULTS_IN_ALL_MAX_CHARS,
  LISTENER_TASK_RESULTS_MAX_CHARS,
  LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES,
  LISTENER_UNREAD_ANSWERS_MAX_BYTES
} from "../../schemas/defaults/Listener.ts"
import type { Intake } from "../../schemas/JsonMessage.ts"
import { makePace } from "../../system/pace.ts"
import { makeSharedRoom, type Share } from "../../system/sharedRoom.ts"
import { CALLS } from "./intake.ts"

/** The shares of one holder. */
export interface Shares {
  /** Of bodies, until they are answered. */
  readonly received: Share
  /** Characters of results of tasks. */
  readonly results: Share
  /** Characters of what was said to it, for when it comes back. */
  readonly events: Share
  /** Whether so many bytes of answers that it has not read are too many. */
  readonly isUnreadOver: (bytes: number) => boolean
}

const NOTHING_UNREAD = () => 0

/** The room of so many holders; `unreadInAll` looks how many bytes of answers all of them have not read. */
export const makeShares = (
  holders = 1,
  { receivingInAllMaxBytes, receivingMaxBytes }: Intake = CALLS,
  unreadInAll: () => number = NOTHING_UNREAD
): (() => Shares) => {
  const received = makeSharedRoom({ holders, eachMax: receivingMaxBytes, inAllMax: receivingInAllMaxBytes })
  const results = makeSharedRoom({
    holders,
    eachMax: LISTENER_TASK_RESULTS_MAX_CHARS,
    inAllMax: LISTENER_TASK_RESULTS_IN_ALL_MAX_CHARS
  })
  const events = makeSharedRoom({
    holders,
    eachMax: LISTENER_EVENTS_MAX_CHARS,
    inAllMax: LISTENER_EVENTS_IN_ALL_MAX_CHARS
  })
  const isUnreadOver = (bytes: number) =>
    bytes > LISTENER_UNREAD_ANSWERS_MAX_BYTES ||
    (bytes > LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES / holders &&
      unreadInAll() > LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES)
  return () => ({ received: received(), results: results(), events: events(), isUnreadOver })
}

export class Holder {
  readonly shares: Shares
  /** Its turns: whatever is done with what it sends, in however many requests. */
  readonly pace = makePace()
  /** Requests under way, in all of its sessions. */
  requests = 0
  /** Requests that go on while it is away. */
  away = 0
  readonly #responses = new Set<ServerResponse>()

  constructor(shares: Shares = makeShares()()) {
    this.shares = shares
  }

  follow(response: ServerResponse): void {
    this.#responses.add(response)
    response.once("close", () => this.#responses.delete(response))
  }

  /** Whether it has as many requests under way as one may have. */
  get isCrowded(): boolean {
    return this.#responses.size >= LISTENER_CONNECTIONS_EACH_MAX
  }

  /** Bytes of answers that it has not read, besides this one. */
  unread(besides?: ServerResponse): number {
    let bytes = 0
    for (const response of this.#responses) if (response !== besides) bytes += response.writableLength
    return bytes
  }

  /** Whether there is too much that it does not read, besides this. */
  isFull(besides?: ServerResponse): boolean {
    return this.shares.isUnreadOver(this.unread(besides))
  }
}

/** A holder for each of these names. */
export const makeHolders = (names: ReadonlyArray<string>, intake: Intake): ReadonlyMap<string, Holder> => {
  const holders = new Map<string, Holder>()
  const unreadInAll = () => [...holders.values()].reduce((sum, holder) => sum + holder.unread(), 0)
  const shares = makeShares(names.length, intake, unreadInAll)
  for (const name of names) holders.set(name, new Holder(shares()))
  return holders
}
