/** Lists the conversations that a client can open, in pages. */
import type { ListSessionsResponse } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import { latestFirst, type ConversationInfo } from "../../schemas/agent/Conversation.ts"
import { ACP_LIST_PAGE } from "../../schemas/defaults/Acp.ts"
import { invalid, type Refused } from "./failure.ts"
import { isOursIn } from "./named.ts"
import type { Services } from "./services.ts"

/** The position of a page: the next page is right even if conversations were used or deleted in between. */
type Cursor = Pick<ConversationInfo, "sessionKey" | "updatedAt">

const CURSOR = /^(-?\d{1,16}(?:\.\d{1,16})?):([\s\S]+)$/

const cursorOf = ({ sessionKey, updatedAt }: Cursor): string => `${updatedAt}:${sessionKey}`

/** `undefined` when it is not a cursor of ours. */
const readCursor = (given: string): Cursor | undefined => {
  const [, time, sessionKey] = CURSOR.exec(given) ?? []
  return time === undefined || sessionKey === undefined ? undefined : { updatedAt: Number(time), sessionKey }
}

export interface Filter {
  readonly cwd?: string | null | undefined
  readonly cursor?: string | null | undefined
}

export const listSessions = (services: Services): ((filter: Filter) => Effect.Effect<ListSessionsResponse, Refused>) =>
  Effect.fnUntraced(function* ({ cursor, cwd }) {
    const all = (yield* services.gateway.list).flatMap((info) =>
      info.cwd === undefined || !isOursIn(services)(info) || (typeof cwd === "string" && cwd !== info.cwd)
        ? []
        : [{ ...info, cwd: info.cwd }]
    )
    const after = typeof cursor === "string" ? readCursor(cursor) : undefined
    if (typeof cursor === "string" && after === undefined) {
      return yield* invalid("unknown cursor: list from the start")
    }
    const rest = after === undefined ? all : all.filter((info) => latestFirst(info, after) > 0)
    const page = rest.slice(0, ACP_LIST_PAGE)
    const last = page.at(-1)
    return {
      sessions: page.map((info) => ({
        sessionId: info.sessionKey,
        cwd: info.cwd,
        ...(info.title === undefined ? {} : { title: info.title }),
        updatedAt: new Date(info.updatedAt).toISOString()
      })),
      ...(last !== undefined && rest.length > page.length ? { nextCursor: cursorOf(last) } : {})
    }
  })
