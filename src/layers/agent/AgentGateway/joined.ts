/**
 * Combines the tools of an agent and those of its session into one runtime. If both have the same name, it is the agent's:
 * what comes with a session must never replace what the operator configured.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { READ_MORE } from "../../../schemas/call/RuntimeTools.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"

/** The prefix of all names of a session's servers (`mcp__{server}__{tool}`). */
const SESSION_PREFIX = "mcp__"

interface Named {
  readonly name: string
}

const both = <A>(
  own: Effect.Effect<ReadonlyArray<A>>,
  brought: Effect.Effect<ReadonlyArray<A>>
): Effect.Effect<readonly [ReadonlyArray<A>, ReadonlyArray<A>]> =>
  Effect.all([own, brought], { concurrency: "unbounded" })

const byName = <A extends Named>(own: Effect.Effect<ReadonlyArray<A>>, brought: Effect.Effect<ReadonlyArray<A>>) =>
  Effect.map(both(own, brought), ([first, second]) => {
    const taken = new Set(first.map(({ name }) => name.toLowerCase()))
    return [...first, ...second.filter(({ name }) => !taken.has(name.toLowerCase()))]
  })

const allOf = <A>(own: Effect.Effect<ReadonlyArray<A>>, brought: Effect.Effect<ReadonlyArray<A>>) =>
  Effect.map(both(own, brought), ([first, second]) => [...first, ...second])

export const join = (own: McpRuntimeShape, brought: McpRuntimeShape | undefined): McpRuntimeShape => {
  if (brought === undefined) return own

  /** The owner of a server or name: the session, if only it has the name. */
  const owner = (name: string, of: (runtime: McpRuntimeShape) => Effect.Effect<ReadonlyArray<string>>) =>
    Effect.map(both(of(own), of(brought)), ([first, second]) =>
      !first.includes(name) && second.includes(name) ? brought : own
    )
  const servers = (runtime: McpRuntimeShape) => Effect.map(runtime.status, Object.keys)
  const toolNames = ({ allTools }: McpRuntimeShape) => Effect.map(allTools, (tools) => tools.map(({ name }) => name))
  /** The session itself refuses its unavailable tools, because it knows the reason. */
  const isOfSession = (name: string) => name.startsWith(SESSION_PREFIX)
  const hasReadMore = Effect.map(toolNames(brought), (names) => names.includes(READ_MORE))
  const uris = ({ resources }: McpRuntimeShape) => Effect.map(resources, (all) => all.map(({ uri }) => uri))
  const promptNames = ({ prompts }: McpRuntimeShape) =>
    Effect.map(prompts, (all) => all.flatMap(({ name, prompt, server }) => [name, `${server}/${prompt}`]))

  return {
    agent: own.agent,
    tools: byName(own.tools, brought.tools),
    allTools: byName(own.allTools, brought.allTools),
    call: (name, args, options) =>
      // Results of the session's servers are kept for the session only; it can also read those that are kept for all.
      Effect.flatMap(
        name === READ_MORE
          ? Effect.map(hasReadMore, (has) => (has ? brought : own))
          : isOfSession(name)
            ? Effect.map(toolNames(own), (names) => (names.includes(name) ? own : brought))
            : owner(name, toolNames),
        (runtime) => runtime.call(name, args, options)
      ),
    status: Effect.map(Effect.all([own.status, brought.status]), ([first, second]) => ({ ...second, ...first })),
    changes: Stream.merge(own.changes, brought.changes),
    ready: Effect.all([own.ready, brought.ready], { concurrency: "unbounded", discard: true }),
    refresh: Effect.all([own.refresh, brought.refresh], { concurrency: "unbounded", discard: true }),
    resources: allOf(own.resources, brought.resources),
    resourceTemplates: allOf(own.resourceTemplates, brought.resourceTemplates),
    readResource: (uri, server, asked) =>
      server === undefined
        ? Effect.flatMap(owner(uri, uris), (runtime) => {
            const ofBrought = brought.readResource(uri, undefined, asked)
            return runtime === brought
              ? ofBrought
              : own
                  .readResource(uri, undefined, asked)
                  .pipe(Effect.catch((error) => Effect.mapError(ofBrought, () => error)))
          })
        : Effect.flatMap(owner(server, servers), (runtime) => runtime.readResource(uri, server, asked)),
    resourceContext: Effect.map(Effect.all([own.resourceContext, brought.resourceContext]), (blocks) =>
      blocks.filter((block) => block !== "").join("\n\n")
    ),
    resourceUpdates: Stream.merge(own.resourceUpdates, brought.resourceUpdates),
    prompts: byName(own.prompts, brought.prompts),
    getPrompt: (name, args, asked) =>
      Effect.flatMap(owner(name, promptNames), (runtime) => runtime.getPrompt(name, args, asked)),
    complete: (ref, argument, asked) =>
      own.complete(ref, argument, asked).pipe(Effect.catch(() => brought.complete(ref, argument, asked))),
    // What a session brings is no part of the configuration.
    plan: own.plan,
    inspect: (server) => Effect.flatMap(owner(server, servers), (runtime) => runtime.inspect(server)),
    reset: (server) => Effect.flatMap(owner(server, servers), (runtime) => runtime.reset(server)),
    stop: (server) => Effect.flatMap(owner(server, servers), (runtime) => runtime.stop(server))
  }
}
