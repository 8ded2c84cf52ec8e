/**
 * Calls that are under way, shared by all evaluations of the module: when they began, and what the ones within a tool search
 * gave. OpenClaw hands out the result of a tool search as JSON, and leaves large ones out of its details. Bounded: what is
 * never asked for goes when there is too much of it.
 */
import { OPENCLAW_CALLS_MAX } from "../../schemas/defaults/OpenClaw.ts"
import { IMAGE_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import { isObject } from "../../schemas/data/Json.ts"
import { NESTED, nestedCallPrefix, type HostResult } from "./nativeResult.ts"
import { putNewest } from "../../schemas/data/Newest.ts"

export interface Nested extends HostResult {
  readonly toolName: string
}

interface State {
  readonly began: Map<string, number>
  readonly nested: Map<string, Nested>
}

const KEY = Symbol.for("mcp-live/openclaw-plugin/calls")

const stateOf = (): State => {
  const places = globalThis as { [KEY]?: State }
  return (places[KEY] ??= { began: new Map(), nested: new Map() })
}

const remember = <A>(map: Map<string, A>, key: string, value: A): void => putNewest(map, key, value, OPENCLAW_CALLS_MAX)

/** Ids of calls are unique within a session alone. */
const keyOf = (sessionKey: string | undefined, toolCallId: string) => `${sessionKey ?? ""}\n${toolCallId}`

export const began = (sessionKey: string | undefined, toolCallId: string, now: number): void =>
  remember(stateOf().began, keyOf(sessionKey, toolCallId), now)

/** Milliseconds since it began; 0 when nobody has seen that. */
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

/** Of a tool that was called within a tool search. All others are left alone. */
export const gave = (sessionKey: string | undefined, toolCallId: string, nested: Nested): void => {
  if (toolCallId.startsWith(NESTED) && charsOf(nested.content) <= IMAGE_MAX_CHARS) {
    remember(stateOf().nested, keyOf(sessionKey, toolCallId), nested)
  }
}

/** What the tool gave to which the call of a tool search led. It is given out once. */
export const nestedOf = (sessionKey: string | undefined, toolCallId: string): Nested | undefined => {
  const { nested } = stateOf()
  const prefix = keyOf(sessionKey, nestedCallPrefix(toolCallId))
  const keys = [...nested.keys()].filter((key) => key.startsWith(prefix))
  const last = keys.at(-1)
  const found = last === undefined ? undefined : nested.get(last)
  for (const key of keys) nested.delete(key)
  return found
}
