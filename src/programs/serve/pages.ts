/**
 * Long lists, in pages. A cursor holds the position and the last item that the client saw, so that the next page is right
 * even if the list has changed. It is short, however long the list is.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { SERVE_PAGE_MAX_CHARS } from "../../schemas/defaults/Serve.ts"
import { INVALID_PARAMS } from "../../schemas/content/HostRequest.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import { memoOf } from "../../schemas/data/Memo.ts"
import { RequestRefused } from "../../schemas/listener/ListenerError.ts"

const HASH_DIGITS = 16
const CURSOR = /^(\d{1,9})-([0-9a-f]{16})$/

/** An item of a list, as it is sent. */
export interface Listed {
  /** Identifies the item within its list. */
  readonly key: string
  readonly wire: JsonObject
  /** Its approximate length as JSON. */
  readonly chars: number
}

export const listed = (key: string, wire: JsonObject): Listed => ({ key, wire, chars: JSON.stringify(wire).length })

const hashOf = memoOf(({ key }: Listed) => createHash("sha256").update(key).digest("hex").slice(0, HASH_DIGITS))

const encode = (end: number, last: Listed) => Buffer.from(`${end}-${hashOf(last)}`).toString("base64url")

/** Longer than any cursor of ours. */
const CURSOR_MAX_CHARS = 64

const refuse = (why: string) =>
  new RequestRefused({ code: INVALID_PARAMS, message: `the cursor is ${why}: begin with the first page` })

/** Where the page of this cursor begins, or the error. */
const startOf = (all: ReadonlyArray<Listed>, cursor: unknown): number | RequestRefused => {
  if (cursor === undefined) return 0
  if (typeof cursor !== "string" || cursor.length > CURSOR_MAX_CHARS) return refuse("unknown")
  const [, end, hash] = CURSOR.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? []
  if (end === undefined || hash === undefined) return refuse("invalid")
  const expected = all[Number(end) - 1]
  if (expected !== undefined && hashOf(expected) === hash) return Number(end)
  const moved = all.findIndex((one) => hashOf(one) === hash)
  return moved === -1 ? refuse("outdated: the list has changed") : moved + 1
}

/** Where the page that begins at `start` ends; it has at least one item. */
const endOf = (all: ReadonlyArray<Listed>, start: number, items: number): number => {
  let [end, chars] = [start, 0]
  while (end < all.length && end - start < items) {
    chars += all[end]!.chars
    if (chars > SERVE_PAGE_MAX_CHARS && end > start) break
    end++
  }
  return end
}

/** The page that a client asks for, as the member `name` of a result. */
export const pageOf = (
  name: string,
  all: ReadonlyArray<Listed>,
  cursor: unknown,
  items: number
): Effect.Effect<JsonObject, RequestRefused> => {
  const start = startOf(all, cursor)
  if (typeof start !== "number") return Effect.fail(start)
  const end = endOf(all, start, items)
  const page = { [name]: all.slice(start, end).map(({ wire }) => wire) }
  return Effect.succeed(end < all.length ? { ...page, nextCursor: encode(end, all[end - 1]!) } : page)
}
