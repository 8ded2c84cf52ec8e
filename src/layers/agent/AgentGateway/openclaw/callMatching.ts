/**
 * Matches the calls of one answer. The gateway announces a call in an event with an id; the call itself arrives separately,
 * without one. Matching them lets a person approve the call that they were shown, and lets the client get our own server's
 * result, with all media, instead of the gateway's version.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../../schemas/agent/AgentEvent.ts"
import { GATEWAY_CALL_TOLD_MS } from "../../../../schemas/defaults/Gateway.ts"
import { canonical, withinBounds } from "../../../../schemas/data/Json.ts"
import type { AgentTool, ToolResult } from "../../../../schemas/call/Tool.ts"
import type { McpRuntimeShape } from "../../../../services/call/McpRuntime.ts"
import { makeCalls, toolCall, type CallOptions } from "../toolCall.ts"

type Arguments = Readonly<Record<string, unknown>>

interface Told {
  readonly id: string
  /** The tools of ours that it may be: the gateway adds a prefix to names, and cuts long ones. */
  readonly tools: ReadonlySet<string>
  readonly args: string
}

interface Arrived {
  readonly name: string
  readonly args: string
  readonly id: Deferred.Deferred<string>
}

/** OpenClaw's longest tool name. */
const NAME_MAX_CHARS = 64

const argumentsKey = (args: Arguments): string => (withinBounds(args) ? canonical(args) : "")

/** The tools of ours that the gateway may mean: the one with that name, or those whose name begins with it. */
export const toolsNamed = (given: string, tools: ReadonlyArray<AgentTool>): ReadonlyArray<AgentTool> => {
  const prefix = given.indexOf("__")
  const rest = prefix === -1 ? given : given.slice(prefix + 2)
  // If two sessions have different tools of one name, one of them ends in a hash.
  const plain = rest.replace(/_[0-9a-f]{8}$/, "")
  const unhashed = given.replace(/_[0-9a-f]{8}$/, "")
  const same = [given, rest, unhashed, plain].flatMap((meant) => tools.find(({ name }) => name === meant) ?? [])[0]
  if (same !== undefined) return [same]
  if (given.length < NAME_MAX_CHARS || rest === "") return []
  // If several names are cut to the same one, the second ends in a number.
  const cut = rest.replace(/-\d{1,3}$/, "")
  return tools.filter(({ name }) => name.startsWith(rest) || (cut !== rest && name.startsWith(cut)))
}

export interface TurnCallsOptions extends CallOptions {
  readonly tools: ReadonlyArray<AgentTool>
  /** Announces a call that the gateway does not announce. */
  readonly emit: (event: AgentEvent) => Effect.Effect<unknown>
}

export const makeTurnCalls = ({ emit, tools, ...callOptions }: TurnCallsOptions) => {
  /** Announced, and neither arrived nor ended. */
  const told = new Map<string, Told>()
  const arrived = new Set<Arrived>()
  const results = new Map<string, ToolResult>()
  const names = new Map<string, string>()
  const over = Deferred.makeUnsafe<never>()
  const calls = makeCalls(callOptions)
  let untold = 0

  const fits = (one: Told, { args, name }: Pick<Arrived, "name" | "args">) => one.tools.has(name) && one.args === args

  /** The id under which the call is, or will be, announced. */
  const idOf = (name: string, args: Arguments): Effect.Effect<string> =>
    Effect.suspend(() => {
      const call: Arrived = { name, args: argumentsKey(args), id: Deferred.makeUnsafe<string>() }
      const known = [...told.values()].find((one) => fits(one, call))
      if (known !== undefined) {
        told.delete(known.id)
        return Effect.succeed(known.id)
      }
      arrived.add(call)
      return Deferred.await(call.id).pipe(
        Effect.timeoutOrElse({
          duration: GATEWAY_CALL_TOLD_MS,
          orElse: () => {
            const id = `untold-${++untold}`
            return Effect.as(
              emit(
                toolCall(
                  id,
                  name,
                  args,
                  tools.find((tool) => tool.name === name)
                )
              ),
              id
            )
          }
        }),
        Effect.ensuring(Effect.sync(() => void arrived.delete(call)))
      )
    })

  return {
    /** The gateway has announced a call: returns the event for the client. */
    onStarted: (id: string, name: string, args: Arguments): AgentEvent => {
      const ours = toolsNamed(name, tools)
      const one: Told = { id, tools: new Set(ours.map((tool) => tool.name)), args: argumentsKey(args) }
      const waiting = [...arrived].find((call) => fits(one, call))
      if (waiting !== undefined) {
        arrived.delete(waiting)
        Deferred.doneUnsafe(waiting.id, Effect.succeed(id))
      } else if (ours.length > 0) told.set(id, one)
      const known = ours.length === 1 ? ours[0] : undefined
      if (known !== undefined) names.set(id, known.name)
      return toolCall(id, known?.name ?? name, args, known)
    },
    /** It does not arrive any more: the next equal call is another one. */
    onEnded: (id: string): void => void told.delete(id),
    /** Our name of the tool that the gateway called. */
    nameOf: (id: string): string | undefined => names.get(id),
    /** The result of our own server, if the call was ours. */
    resultOf: (id: string): ToolResult | undefined => results.get(id),
    /** Calls one of these tools within this answer, with its progress and approver. */
    call: (name: string, args: Arguments, options: Parameters<McpRuntimeShape["call"]>[2]) =>
      Effect.gen(function* () {
        const id = yield* idOf(name, args)
        const result = yield* calls({ id, name }, args, options)
        results.set(id, result)
        if (id.startsWith("untold-")) yield* emit({ _tag: "ToolResult", id, name, result })
        return result
      }).pipe((running) => Effect.raceFirst(running, Deferred.await(over))),
    /** Cancels running calls. */
    end: Effect.sync(() => void Deferred.doneUnsafe(over, Effect.interrupt))
  }
}

export type TurnCalls = ReturnType<typeof makeTurnCalls>
