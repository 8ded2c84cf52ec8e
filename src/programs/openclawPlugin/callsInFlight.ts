/**
 * The calls in flight, shared by all copies of the module: when they began, and the results of calls inside a tool search,
 * which OpenClaw passes on as JSON and omits from `details` when they are large. Bounded: results that nobody fetches are
 * dropped.
 */
import { OPENCLAW_CALLS_MAX } from "../../schemas/defaults/OpenClaw.ts"
import { IMAGE_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import { isObject } from "../../schemas/data/Json.ts"
import { NESTED, nestedCallPrefix, type HostResult } from "./nativeResult.ts"
import { sharedState } from "./sharedState.ts"
import { putNewest } from "../../schemas/data/Newest.ts"

export interface Nested extends HostResult {
  readonly toolName: string
}

interface State {
  readonly began: Map<string, number>
  readonly nested: Map<string, Nested>
}

const stateOf = (): State => sharedState("calls", () => ({ began: new Map(), nested: new Map() }))

const remember = <A>(map: Map<string, A>, key: string, value: A): void => putNewest(map, key, value, OPENCLAW_CALLS_MAX)

/** Ids of calls are unique only within a session. */
const keyOf = (sessionKey: string | undefined, toolCallId: string) => `${sessionKey ?? ""}\n${toolCallId}`

export const began = (sessionKey: string | undefined, toolCallId: string, now: number): void =>
  remember(stateOf().began, keyOf(sessionKey, toolCallId), now)

/** Milliseconds since the call began; 0 when that was not seen. */
export const sinceBegan = (sessionKey: string | undefined, toolCallId: string, now: number): number => {
  const { began: known } = stateOf()
  const key = keyOf(sessionKey, toolCallId)
  const at = known.get(key)
  known.delete(key)
  return at === undefined ? 0 : now - at
}

const charsOf = (content: unknown): number =>
  Array.isArray(content)
    ? content.reduce((sum: number, block: unknown) => {
        const { data, text } = isObject(block) ? block : {}
        return sum + (typeof text === "string" ? text.length : 0) + (typeof data === "string" ? data.length : 0)
      }, 0)
    : 0

/** Records the result of a tool that was called inside a tool search; ignores others. */
export const gave = (sessionKey: string | undefined, toolCallId: string, nested: Nested): void => {
  if (toolCallId.startsWith(NESTED) && charsOf(nested.content) <= IMAGE_MAX_CHARS) {
    remember(stateOf().nested, keyOf(sessionKey, toolCallId), nested)
  }
}

/** The result of the tool that a call of the tool search called. Returned only once. */
export const nestedOf = (sessionKey: string | undefined, toolCallId: string): Nested | undefined => {
  const { nested } = stateOf()
  const prefix = keyOf(sessionKey, nestedCallPrefix(toolCallId))
  const keys = [...nested.keys()].filter((key) => key.startsWith(prefix))
  const last = keys.at(-1)
  const found = last === undefined ? undefined : nested.get(last)
  for (const key of keys) nested.delete(key)
  return found
}
