/**
 * Which kept results a client may continue to read: those that it got itself. Handles cannot be guessed, and another client's
 * handle finds nothing.
 */
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import { CALL_TOOL, READ_MORE } from "../../schemas/call/RuntimeTools.ts"
import { SERVE_HANDLES_MAX } from "../../schemas/defaults/Serve.ts"
import type { ToolResult } from "../../schemas/call/Tool.ts"
import { addNewest } from "../../schemas/data/Newest.ts"

/** The handles of one token, over all its connections. */
export interface Handles {
  readonly given: (result: ToolResult) => void
  /** The arguments of a call, with foreign handles made invalid. */
  readonly allowed: (name: string, args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
}

const handlesIn = ({ details }: ToolResult): ReadonlyArray<string> => {
  if (!("externalContent" in details)) return []
  const { handle, originals = [], structuredHandle } = details
  return [handle, structuredHandle, ...originals.map((one) => one.handle)].filter((one) => one !== undefined)
}

export const makeHandles = (): Handles => {
  /** Oldest first. */
  const known = new Set<string>()

  const own = (args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const { handle } = args
    return typeof handle !== "string" || known.has(handle) ? args : { ...args, handle: "" }
  }

  return {
    given: (result) => {
      for (const handle of handlesIn(result)) addNewest(known, handle, SERVE_HANDLES_MAX)
    },
    allowed: (name, args) => {
      if (name === READ_MORE) return own(args)
      const inner = args["arguments"]
      return name === CALL_TOOL && args["name"] === READ_MORE && isObject(inner)
        ? { ...args, arguments: own(inner) as JsonObject }
        : args
    }
  }
}
