/**
 * Keeps a list of tools, and a registry of the program, in step with the tools of the runtime. A tool stays the same object
 * until its definition changes.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { canonical } from "../../schemas/data/Json.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import { attempt } from "./callbacks.ts"
import type { Tool } from "./Tool.ts"

/** Anything that takes tools. If a method returns a promise, it is awaited; an error is logged. */
export interface ToolRegistry {
  readonly register: (tool: Tool) => unknown
  readonly unregister?: ((name: string) => unknown) | undefined
}

interface Entry {
  readonly definition: AgentTool
  readonly tool: Tool
}

export interface ListedTools {
  readonly current: () => ReadonlyArray<Tool>
  /** The tools of other definitions; those that are listed are the same objects. */
  readonly toTools: (definitions: ReadonlyArray<AgentTool>) => ReadonlyArray<Tool>
  /** Adopts the current list; returns the servers whose tools have changed. Call it one at a time. */
  readonly follow: (listed: ReadonlyArray<AgentTool>) => Effect.Effect<ReadonlySet<string>>
  /** Removes every tool from the registry. */
  readonly clear: Effect.Effect<void>
}

const sameDefinition = (a: AgentTool, b: AgentTool): boolean => a === b || canonical(a) === canonical(b)

export const listedTools = (
  registry: ToolRegistry | undefined,
  isOwnerOnly: (definition: AgentTool) => boolean,
  makeTool: (definition: AgentTool, ownerOnly: boolean) => Tool
): ListedTools => {
  let entries: ReadonlyMap<string, Entry> = new Map()
  let tools: ReadonlyArray<Tool> = []
  const oneAtATime = Semaphore.makeUnsafe(1)

  const register = ({ tool }: Entry) =>
    registry === undefined ? Effect.void : attempt(`registering ${tool.name}`, () => registry.register(tool))
  const unregister = ({ tool }: Entry) =>
    typeof registry?.unregister === "function"
      ? attempt(`unregistering ${tool.name}`, () => registry.unregister?.(tool.name))
      : Effect.void

  const replaceBy = Effect.fnUntraced(function* (next: ReadonlyMap<string, Entry>) {
    const before = entries
    const gone = [...before.values()].filter(({ tool }) => next.get(tool.name)?.tool !== tool)
    const added = [...next.values()].filter(({ tool }) => before.get(tool.name)?.tool !== tool)
    entries = next
    tools = [...next.values()].map(({ tool }) => tool)
    // Unregisters first: a name may move from one server to another.
    yield* Effect.forEach(gone, unregister, { discard: true })
    yield* Effect.forEach(added, register, { discard: true })
    return new Set([...gone, ...added].map(({ definition }) => definition.server))
  })

  const entryOf = (definition: AgentTool): Entry => {
    const known = entries.get(definition.name)
    const ownerOnly = isOwnerOnly(definition)
    return known?.tool.ownerOnly === ownerOnly && sameDefinition(known.definition, definition)
      ? { definition, tool: known.tool }
      : { definition, tool: makeTool(definition, ownerOnly) }
  }

  return {
    current: () => tools,
    toTools: (definitions) => definitions.map((definition) => entryOf(definition).tool),
    follow: (listed) =>
      Effect.suspend(() => replaceBy(new Map(listed.map((definition) => [definition.name, entryOf(definition)])))).pipe(
        oneAtATime.withPermit
      ),
    clear: Effect.suspend(() => replaceBy(new Map())).pipe(oneAtATime.withPermit, Effect.asVoid)
  }
}
