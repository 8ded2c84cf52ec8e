/**
 * Passes questions to a client: whether a tool may be called, and what a server wants to know from its person. Only valid
 * answers count: anything else, and any error, is a refusal.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { AgentEvent } from "../../schemas/agent/AgentEvent.ts"
import type { ApprovalAnswer, ApprovalQuestion } from "../../schemas/call/Approval.ts"
import {
  elicitationWords,
  type ElicitationRequest,
  type ElicitationResult,
  type ElicitationValue
} from "../../schemas/content/HostRequest.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import { SERVE_LATE_ANSWERED_MS, SERVE_LATE_MS } from "../../schemas/defaults/Serve.ts"
import type { ApproveCall } from "../../services/agent/AgentGateway.ts"
import type { Unasked } from "../../services/content/HostFeatures.ts"
import type { RequestContext } from "../../services/listener/McpListener.ts"

// ---- whether a tool may be called ----------------------------------------------------------------------------------

/** "For good" is not offered: the client may be a program, and such an approval would apply to every client. */
const ANSWERS = [
  { value: "once", name: "Allow this call" },
  { value: "session", name: "Allow this tool for the rest of this session" },
  { value: "deny", name: "Do not allow it" }
] as const satisfies ReadonlyArray<{ readonly value: ApprovalAnswer; readonly name: string }>

const describe = ({ arguments: args, changed, rule, server, tool }: ApprovalQuestion): string =>
  [
    "The agent wants to call a tool.",
    `Server: ${server}`,
    `Tool: ${tool}`,
    `Why you are asked: ${rule}`,
    ...(changed
      ? ["Careful: this tool was approved before, but it, or how its server is started, has changed since."]
      : []),
    ...(args === "" ? ["Without arguments."] : ["Arguments:", args])
  ].join("\n")

const formOf = (question: ApprovalQuestion): JsonObject => ({
  mode: "form",
  message: describe(question),
  requestedSchema: {
    type: "object",
    properties: {
      answer: {
        type: "string",
        title: "May it be called?",
        enum: ANSWERS.map(({ value }) => value),
        enumNames: ANSWERS.map(({ name }) => name)
      }
    },
    required: ["answer"]
  }
})

const answerOf = ({ action, content }: JsonObject): ApprovalAnswer => {
  const given = action === "accept" && isObject(content) ? content["answer"] : undefined
  return ANSWERS.find(({ value }) => value === given)?.value ?? "deny"
}

const aborted = (signal: AbortSignal) =>
  Effect.callback<never>((resume) => {
    const stop = () => resume(Effect.interrupt)
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", stop))
  })

/** `undefined` when the client cannot be asked: the call is then denied because nobody is there. */
export const approveBy = ({ ask, can }: RequestContext): ApproveCall | undefined =>
  can.elicitation.form
    ? (question, _, signal) =>
        Effect.raceFirst(Effect.map(ask("elicitation/create", formOf(question)), answerOf), aborted(signal))
    : undefined

// ---- what a server wants to know -----------------------------------------------------------------------------------

const requestOf = (request: ElicitationRequest): JsonObject => {
  const message = elicitationWords(request)
  return request.mode === "form"
    ? { mode: "form", message, requestedSchema: { ...request.requestedSchema, type: "object" } }
    : {
        mode: "url",
        message,
        url: request.url,
        elicitationId: request.elicitationId ?? randomUUID()
      }
}

/** `HostFeatures` checks the content against the form. */
const resultOf = ({ action, content }: JsonObject): ElicitationResult => {
  if (action === "accept") {
    return isObject(content) ? { action, content: content as Record<string, ElicitationValue> } : { action }
  }
  return { action: action === "decline" ? "decline" : "cancel" }
}

const DECLINED: ElicitationResult = { action: "decline" }

/** If the client fails, its person has not answered. */
const elicitFrom = ({ ask, can }: RequestContext, request: ElicitationRequest): Effect.Effect<ElicitationResult> =>
  can.elicitation[request.mode]
    ? ask("elicitation/create", requestOf(request)).pipe(
        Effect.map(resultOf),
        Effect.orElseSucceed((): ElicitationResult => ({ action: "cancel" }))
      )
    : Effect.succeed(DECLINED)

/** Whose agent request it is, and what its agent may call. */
export interface Asked {
  /** Nothing for a call that is no client's. */
  readonly exchange: RequestContext | undefined
  readonly client: string
  readonly tools: Effect.Effect<ReadonlyArray<Pick<AgentTool, "name" | "server">>>
}

/** What is told of the calls of a request. */
interface Calls {
  readonly begun: (id: string, tool: string) => void
  readonly answered: (id: string) => void
}

/** A call that has ended, about which its server may still ask. */
interface Late extends Asked {
  readonly tool: string
  readonly until: number
}

/** Where it is called now. A tool that calls others may have called any server, and so may one that is not ours. */
const isCalled = (server: string, { tools }: Pick<Asked, "tools">, names: Iterable<string>): Effect.Effect<boolean> =>
  Effect.map(tools, (all) =>
    [...names].some((tool) => (all.find(({ name }) => name === tool)?.server ?? server) === server)
  )

/**
 * A server's question does not say whose person it is for. It goes to the client of the one agent request that has a call at
 * this server now; if there is none or more than one, or the call of another client has just ended, nobody is asked.
 */
export const makeAsking = () => {
  const running = new Map<Asked, Map<string, string>>()
  let late: ReadonlyArray<Late> = []
  const during = <A, E, R>(asked: Asked, request: (calls: Calls) => Effect.Effect<A, E, R>) =>
    Effect.clockWith((clock) => {
      /** Tool names by the id of the call. */
      const calls = new Map<string, string>()
      const ended = (id: string, forMs: number) => {
        const tool = calls.get(id)
        if (tool === undefined) return
        calls.delete(id)
        const now = clock.currentTimeMillisUnsafe()
        late = [...late.filter(({ until }) => until > now), { ...asked, tool, until: now + forMs }]
      }
      return Effect.acquireUseRelease(
        Effect.sync(() => running.set(asked, calls)),
        () =>
          request({
            begun: (id, tool) => void calls.set(id, tool),
            answered: (id) => ended(id, SERVE_LATE_ANSWERED_MS)
          }),
        () =>
          Effect.sync(() => {
            running.delete(asked)
            for (const id of calls.keys()) ended(id, SERVE_LATE_MS)
          })
      )
    })
  const unasked: Unasked = (servers, call) => {
    const names = servers.map(({ name }) => name)
    const tools = Effect.succeed(names.map((name) => ({ name, server: name })))
    return during({ exchange: undefined, client: "", tools }, ({ answered, begun }) => {
      for (const name of names) begun(name, name)
      return Effect.tap(call, () => Effect.sync(() => names.forEach(answered)))
    })
  }

  return {
    /** Runs an agent request, which tells of its calls. */
    during: <A, E, R>(asked: Asked, request: (hear: (event: AgentEvent) => void) => Effect.Effect<A, E, R>) =>
      during(asked, ({ answered, begun }) =>
        request((event) => {
          if (event._tag === "ToolCall") begun(event.id, event.name)
          if (event._tag === "ToolResult") answered(event.id)
        })
      ),
    /** Runs a call that is no client's: nobody is asked about it. */
    unasked,
    elicit: Effect.fnUntraced(function* (request: ElicitationRequest) {
      const { server } = request
      const now = yield* Clock.currentTimeMillis
      const [meant, ...others] = yield* Effect.filter([...running], ([asked, calls]) =>
        isCalled(server, asked, calls.values())
      )
      if (meant === undefined || others.length > 0) return DECLINED
      const [{ client, exchange }] = meant
      const inDoubt = yield* Effect.filter(
        late.filter((one) => one.until > now && one.client !== client),
        (one) => isCalled(server, one, [one.tool])
      )
      return exchange === undefined || inDoubt.length > 0 ? DECLINED : yield* elicitFrom(exchange, request)
    })
  }
}

export type Asking = ReturnType<typeof makeAsking>
