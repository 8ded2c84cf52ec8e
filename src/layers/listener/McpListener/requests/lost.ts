/** What a client is told about requests that were under way at a node of the fleet that is dead: never nothing, and never a wrong result. */
import * as Effect from "effect/Effect"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { Origin } from "../../../../services/call/CallJournal.ts"
import type { CallFate, Directory } from "../../../../services/listener/SessionDirectory.ts"
import { NOT_NOW } from "./refusals.ts"

type RequestId = string | number

/** A request that was not answered. Only a call of a tool can have changed anything. */
export interface Asked {
  readonly id: RequestId
  readonly isCall: boolean
}

export const CALL = "tools/call"

const KEY_PARTS = 3

/** Of a call that no session has: by the beginning of the names that its client comes back with. */
export const originIn = (name: string): Origin => ({
  session: name.split(".", KEY_PARTS).join("."),
  request: CALL
})

const LEFT = "left"

/** What the client of such a call comes back with. It says whether the call has left: its row may be lost with its node. */
export const nameToComeBack = ({ session }: Origin, random: string, hasLeft: boolean): string =>
  [session, ...(hasLeft ? [LEFT] : []), random].join(".")

export const hadLeft = (name: string): boolean => name.split(".")[KEY_PARTS] === LEFT

export const askedIn = (messages: ReadonlyArray<unknown>): ReadonlyArray<Asked> =>
  messages.flatMap((message) =>
    isObject(message) && typeof message["method"] === "string" && message["id"] !== undefined
      ? [{ id: message["id"] as RequestId, isCall: message["method"] === CALL }]
      : []
  )

const WORDS: Readonly<Record<CallFate, string>> = {
  done: "The call was executed, but the node that made it ended before it passed the result on.",
  failed: "The call has failed, and the node that made it ended before it passed the error on.",
  unknown:
    "The node that made the call ended before it answered. It may have been executed all the same: check before you repeat it."
}

export const fateWords = (fate: CallFate = "unknown"): string => WORDS[fate]

/** As the result of a tool. */
export const lostResult = (fate?: CallFate): JsonObject => ({
  content: [{ type: "text", text: `MCP tool error: ${fateWords(fate)}` }],
  isError: true
})

const BEFORE = "Before that, the call was made at a node that has ended: there it may have been executed."

/** Of a call that was run again. An error may say that it was not executed, which is true of this time only. */
export const repeatedResult = (result: JsonObject): JsonObject => {
  const { content, isError } = result
  if (isError !== true || !Array.isArray(content)) return result
  return { ...result, content: [...content, { type: "text", text: BEFORE }] }
}

const AGAIN = "The node that was to answer this request has ended: send it again"

/** A response of JSON-RPC. */
export type LostAnswer = { readonly jsonrpc: "2.0"; readonly id: RequestId } & (
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } }
)

/** Answers to all of them. */
export const lostAnswers = (
  { fateOf }: Pick<Directory, "fateOf">,
  originOf: (request: RequestId) => Origin,
  asked: ReadonlyArray<Asked>
): Effect.Effect<ReadonlyArray<LostAnswer>> =>
  Effect.forEach(asked, ({ id, isCall }): Effect.Effect<LostAnswer> =>
    isCall
      ? Effect.map(fateOf(originOf(id)), (fate) => ({
          jsonrpc: "2.0",
          id,
          result: lostResult(fate)
        }))
      : Effect.succeed({ jsonrpc: "2.0", id, error: { code: NOT_NOW, message: AGAIN } })
  )

/** The one call that is asked for, if nothing else is: it can be run again as it was. */
export const repeatedBy = (asked: ReadonlyArray<Asked>): RequestId | undefined =>
  asked.length === 1 && asked[0]!.isCall ? asked[0]!.id : undefined

/** The end of the names of a stream's events, from which another node reads what was asked there. */
export const labelOf = (asked: ReadonlyArray<Asked>): string => {
  const told = asked.map(({ id, isCall }) => (isCall ? [id] : [id, 0]))
  return `-${Buffer.from(JSON.stringify(told)).toString("base64url")}`
}

const isId = (value: unknown): value is RequestId => typeof value === "string" || Number.isSafeInteger(value)

const ASKED_MAX = 64

/** What an event of another node says was asked on its stream: nothing on that of news. `undefined` for what is no event. */
export const askedAt = (event: string): ReadonlyArray<Asked> | undefined => {
  const [secret, index, count, ...label] = event.split("-")
  if (!/^[0-9a-f]{16}$/.test(secret ?? "") || !/^\d+$/.test(index ?? "") || !/^\d+$/.test(count ?? "")) return undefined
  if (label.length === 0) return []
  try {
    const told: unknown = JSON.parse(Buffer.from(label.join("-"), "base64url").toString())
    if (!Array.isArray(told)) return undefined
    return told.slice(0, ASKED_MAX).flatMap((one: unknown): ReadonlyArray<Asked> => {
      if (!Array.isArray(one) || !isId(one[0])) return []
      return [{ id: one[0], isCall: one.length === 1 }]
    })
  } catch {
    return undefined
  }
}
