/**
 * One server of an agent, for a client that wants no other. Its tools and prompts have the server's own names, as if the
 * client had connected directly. Names are changed only here: calls use the agent's names, so that rules, approvals and the
 * audit log are the same as for the whole agent.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { TOOL_NAME_MAX_CHARS } from "../../schemas/defaults/Definitions.ts"
import { ONLY_LIST_WAIT_MS } from "../../schemas/defaults/Serve.ts"
import { QUOTED_NAME_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { PromptNotFound } from "../../schemas/call/CallError.ts"
import { exposeNames } from "../../schemas/call/Names.ts"
import type { AgentPrompt } from "../../schemas/content/Prompt.ts"
import { READ_MORE } from "../../schemas/call/RuntimeTools.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"

/** A name that every client accepts (2025-11-25, Tool Names) and that cannot be a name of the agent: those begin with `mcp_`. */
const BARE = /^(?!mcp_)[A-Za-z0-9_.-]{1,128}$/i

interface Named {
  readonly name: string
  readonly server: string
}

interface View<A> {
  readonly shown: ReadonlyArray<A>
  /** From the name that the client sees to the agent's name. */
  readonly agentNames: ReadonlyMap<string, string>
}

/** A name that some clients would refuse, or that two items have, is replaced by the agent's name. */
const makeView = <A extends Named>(server: string, ownName: (item: A) => string, all: ReadonlyArray<A>): View<A> => {
  const mine = all.filter((item) => item.server === server)
  const holders = Map.groupBy(mine, (item) => ownName(item).toLowerCase())
  const renamed = mine.map((item) => {
    const own = ownName(item)
    const isFree = BARE.test(own) && holders.get(own.toLowerCase())!.length === 1
    return isFree ? { ...item, name: own } : item
  })
  return { shown: renamed, agentNames: new Map(renamed.map(({ name }, i) => [name, mine[i]!.name])) }
}

/** Cached per list: lists stay the same object until something changes. */
const remembering = <A extends object, B>(make: (given: A) => B): ((given: A) => B) => {
  const known = new WeakMap<A, B>()
  return (given) => {
    const before = known.get(given)
    if (before !== undefined) return before
    const made = make(given)
    known.set(given, made)
    return made
  }
}

/** `others` are the agent's other servers, which this client does not see. */
export const onlyServer = (
  runtime: McpRuntimeShape,
  { name: server, toolPrefix }: ServerConfig,
  others: ReadonlyArray<ServerConfig>
): McpRuntimeShape => {
  const viewTools = remembering((all: ReadonlyArray<AgentTool>) => {
    const view = makeView(server, ({ tool }) => tool, all)
    const readMore = all.filter(({ name }) => name === READ_MORE)
    return { ...view, shown: [...view.shown.filter(({ name }) => name !== READ_MORE), ...readMore] }
  })
  const viewPrompts = remembering((all: ReadonlyArray<AgentPrompt>) => makeView(server, ({ prompt }) => prompt, all))
  /** With no other server there is nothing to list before this one is up, and it may have to be downloaded first. So wait. */
  const arrived: Effect.Effect<unknown> = others.some(({ enabled }) => enabled)
    ? runtime.tools
    : Effect.andThen(runtime.tools, Effect.timeoutOption(runtime.ready, ONLY_LIST_WAIT_MS))
  const tools = Effect.map(runtime.allTools, viewTools)
  const prompts = Effect.map(Effect.andThen(arrived, runtime.prompts), viewPrompts)
  const ofServer = <A extends { readonly server: string }>(list: Effect.Effect<ReadonlyArray<A>>) =>
    Effect.map(list, (all) => all.filter((item) => item.server === server))

  /** An unknown name may become a tool of this server when it is up. */
  const asAgents = (name: string): string => {
    // Longer than any name that a server may have, so it is cut.
    if (name.length > TOOL_NAME_MAX_CHARS) return `${server}/${name.slice(0, QUOTED_NAME_MAX_CHARS)}`
    const prefixes = [toolPrefix, ...others.map((other) => other.toolPrefix)]
    return exposeNames("gateway", [{ server, prefix: toolPrefix, tool: name }], prefixes)[0]!
  }

  const toolOf = Effect.fnUntraced(function* (name: string) {
    if (name === READ_MORE) return name
    const known = (yield* tools).agentNames.get(name)
    return known ?? (yield* Effect.andThen(arrived, tools)).agentNames.get(name) ?? asAgents(name)
  })
  /** Never a prompt of another server, although the agent's runtime would accept its name. */
  const promptOf = (name: string) =>
    Effect.flatMap(prompts, ({ agentNames }) => {
      const known = agentNames.get(name)
      if (known !== undefined) return Effect.succeed(known)
      return new PromptNotFound({ prompt: name.slice(0, QUOTED_NAME_MAX_CHARS), suggestion: null })
    })

  return {
    ...runtime,
    tools: Effect.map(Effect.andThen(arrived, tools), ({ shown }) => shown),
    allTools: Effect.map(tools, ({ shown }) => shown),
    call: (name, args, options) => Effect.flatMap(toolOf(name), (agents) => runtime.call(agents, args, options)),
    resources: ofServer(Effect.andThen(arrived, runtime.resources)),
    resourceTemplates: ofServer(Effect.andThen(arrived, runtime.resourceTemplates)),
    readResource: (uri, _, asked) => runtime.readResource(uri, server, asked),
    resourceUpdates: Stream.filter(runtime.resourceUpdates, (update) => update.server === server),
    prompts: Effect.map(prompts, ({ shown }) => shown),
    getPrompt: (name, args, asked) =>
      Effect.flatMap(promptOf(name), (agents) => runtime.getPrompt(agents, args, asked)),
    complete: (ref, argument, asked) =>
      ref.type === "prompt"
        ? Effect.flatMap(promptOf(ref.name), (name) => runtime.complete({ ...ref, name }, argument, asked))
        : runtime.complete({ ...ref, server }, argument, asked)
  }
}
