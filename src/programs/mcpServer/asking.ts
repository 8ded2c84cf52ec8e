/**
 * Passes questions to a client: whether a tool may be called, and what a server wants to know from its person. Only valid
 * answers count: anything else, and any error, is a refusal.
 */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { ApprovalAnswer, ApprovalQuestion } from "../../schemas/call/Approval.ts"
import {
  elicitationWords,
  type ElicitationRequest,
  type ElicitationResult,
  type ElicitationValue
} from "../../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import type { ApproveCall } from "../../services/agent/AgentGateway.ts"
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

/** A running agent request and its current tool calls. */
export interface Asked {
  readonly exchange: RequestContext
  /** Tool names by the id of the call. */
  readonly calls: Map<string, string>
}

/**
 * A server's question does not say whose person it is for. It goes to the client of the one agent request that has a call at
 * this server now; if there is none or more than one, nobody is asked.
 */
export const makeAsking = () => {
  const orders = new Set<Asked>()
  return {
    orders,
    /** `serverOf` returns the server of a tool by the name that the agent uses; `undefined` for tools that call others. */
    elicit: (request: ElicitationRequest, serverOf: (tool: string) => string | undefined) => {
      const meant = [...orders].filter(({ calls }) =>
        [...calls.values()].some((tool) => (serverOf(tool) ?? request.server) === request.server)
      )
      return meant.length === 1 ? elicitFrom(meant[0]!.exchange, request) : Effect.succeed(DECLINED)
    }
  }
}

export type Asking = ReturnType<typeof makeAsking>
