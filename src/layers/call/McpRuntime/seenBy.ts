/** The runtime as one caller may use it: lists without what the rules of clients keep from the caller, and requests in the caller's name. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Caller } from "../../../schemas/call/Caller.ts"
import type { Standing } from "../../../schemas/login/Standing.ts"
import type { Ruling } from "../../../services/call/CallerRules.ts"
import type { McpRuntimeShape, WholeRuntime } from "../../../services/call/McpRuntime.ts"
import type { Catalog } from "./catalog.ts"
import type { Standings } from "./standing.ts"

export interface SeenByParts {
  readonly whole: McpRuntimeShape
  readonly catalog: Pick<Catalog, "viewFor">
  readonly standings: Standings
  /** What is listed now. */
  readonly lists: Pick<McpRuntimeShape, "resources" | "resourceTemplates" | "prompts">
  /** Waits as before a list of tools. */
  readonly listedFor: (caller: Caller | undefined) => Effect.Effect<void>
  readonly ruling: Ruling
}

interface OfServer {
  readonly server: string
}

/** Filters lists; the same list for the same caller and the same whole one, because clients are told of lists that differ. */
const makeFilter = (standings: Standings) => {
  const known = new WeakMap<Standing, WeakMap<object, ReadonlyArray<OfServer>>>()
  return <A extends OfServer>(caller: Caller, all: ReadonlyArray<A>): ReadonlyArray<A> => {
    const standing = standings.of(caller)
    if (standing === undefined) return all
    const lists = known.get(standing) ?? new WeakMap<object, ReadonlyArray<OfServer>>()
    known.set(standing, lists)
    const before = lists.get(all)
    if (before !== undefined) return before as ReadonlyArray<A>
    const some = all.filter(({ server }) => standings.refusedAt(caller, server) === undefined)
    lists.set(all, some)
    return some
  }
}

export const makeSeenBy = ({
  catalog,
  listedFor,
  lists,
  ruling,
  standings,
  whole
}: SeenByParts): WholeRuntime["as"] => {
  const filtered = makeFilter(standings)
  return (caller) => {
    const listed = Effect.suspend(() => listedFor(caller()))
    const open = <A extends OfServer>(list: Effect.Effect<ReadonlyArray<A>>) =>
      Effect.map(Effect.andThen(listed, list), (all) => filtered(caller(), all))
    const isSubject = () => standings.of(caller()) !== undefined
    return {
      ...whole,
      tools: Effect.suspend(() =>
        isSubject() ? Effect.map(listed, () => catalog.viewFor(caller()).tools) : whole.tools
      ),
      allTools: Effect.flatMap(whole.allTools, (all) =>
        Effect.sync(() => (isSubject() ? catalog.viewFor(caller()).all : all))
      ),
      call: (name, args, options) => whole.call(name, args, { caller: caller(), ...options }),
      changes: Stream.merge(whole.changes, ruling.changes),
      resources: open(lists.resources),
      resourceTemplates: open(lists.resourceTemplates),
      readResource: (uri, server, asked) => whole.readResource(uri, server, { caller: caller(), ...asked }),
      // It is for the agent, and not for a client of it.
      resourceContext: Effect.suspend(() => (isSubject() ? Effect.succeed("") : whole.resourceContext)),
      resourceUpdates: Stream.filter(
        whole.resourceUpdates,
        ({ server }) => standings.refusedAt(caller(), server) === undefined
      ),
      prompts: open(lists.prompts),
      getPrompt: (name, args, asked) => whole.getPrompt(name, args, { caller: caller(), ...asked }),
      status: Effect.map(whole.status, (all) =>
        isSubject()
          ? Object.fromEntries(Object.entries(all).filter(([server]) => standings.isOpen(caller(), server)))
          : all
      ),
      complete: (ref, argument, asked) => whole.complete(ref, argument, { caller: caller(), ...asked }),
      plan: (next) => whole.plan(next, caller())
    }
  }
}
