/**
 * Which kept results a client may continue to read: those that it got itself, at whatever node of a fleet. Handles cannot be guessed, and
 * another client's handle finds nothing.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import { CALL_TOOL, READ_MORE } from "../../schemas/call/RuntimeTools.ts"
import { SERVE_HANDLES_LEFT_MAX, SERVE_HANDLES_MAX } from "../../schemas/defaults/Serve.ts"
import type { ToolResult } from "../../schemas/call/Tool.ts"
import { addNewest, putNewest } from "../../schemas/data/Newest.ts"

/** The handles of one token, over all its connections. */
export interface Handles {
  readonly given: (result: ToolResult) => Effect.Effect<void>
  /** The arguments of a call, with foreign handles made invalid. */
  readonly allowed: (name: string, args: Args) => Effect.Effect<Args>
}

type Args = Readonly<Record<string, unknown>>

/** What the nodes of a fleet know of them together. */
export interface SharedHandles {
  /** Returns when other nodes can find them. */
  readonly give: (handles: ReadonlyArray<string>) => Effect.Effect<void>
  readonly has: (handle: string) => Effect.Effect<boolean>
}

const handlesIn = ({ details }: ToolResult): ReadonlyArray<string> => {
  if (!("externalContent" in details)) return []
  const { handle, originals = [], structuredHandle } = details
  return [handle, structuredHandle, ...originals.map((one) => one.handle)].filter((one) => one !== undefined)
}

const NOBODY: SharedHandles = { give: () => Effect.void, has: () => Effect.succeed(false) }

export const makeHandles = (shared: SharedHandles = NOBODY): Handles => {
  /** Oldest first. */
  const known = new Set<string>()

  const own = (args: Args): Effect.Effect<Args> => {
    const { handle } = args
    if (typeof handle !== "string" || known.has(handle)) return Effect.succeed(args)
    return Effect.map(shared.has(handle), (isOwn) => (isOwn ? args : { ...args, handle: "" }))
  }

  return {
    given: (result) =>
      Effect.suspend(() => {
        const handles = handlesIn(result)
        if (handles.length === 0) return Effect.void
        for (const handle of handles) addNewest(known, handle, SERVE_HANDLES_MAX)
        return shared.give(handles)
      }),
    allowed: (name, args) => {
      if (name === READ_MORE) return own(args)
      const inner = args["arguments"]
      return name === CALL_TOOL && args["name"] === READ_MORE && isObject(inner)
        ? Effect.map(own(inner), (allowed) => ({ ...args, arguments: allowed as JsonObject }))
        : Effect.succeed(args)
    }
  }
}

/** The handles of each token: while it has a connection, and afterwards of the tokens that had one last. */
export const makeHandlesOf = (
  shared: (principal: string) => SharedHandles = () => NOBODY
): ((principal: string) => Effect.Effect<Handles, never, Scope.Scope>) => {
  const here = new Map<string, { readonly handles: Handles; connections: number }>()
  const left = new Map<string, Handles>()

  const enter = (principal: string): Handles => {
    const found = here.get(principal)
    if (found !== undefined) {
      found.connections++
      return found.handles
    }
    const handles = left.get(principal) ?? makeHandles(shared(principal))
    left.delete(principal)
    here.set(principal, { handles, connections: 1 })
    return handles
  }

  const leave = (principal: string): void => {
    const found = here.get(principal)
    if (found === undefined || --found.connections > 0) return
    here.delete(principal)
    putNewest(left, principal, found.handles, SERVE_HANDLES_LEFT_MAX)
  }

  return (principal) =>
    Effect.acquireRelease(
      Effect.sync(() => enter(principal)),
      () => Effect.sync(() => leave(principal))
    )
}
