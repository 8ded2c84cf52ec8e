/** A tool for an agent loop: the interface of OpenClaw and of pi-agent-core's `AgentTool`. Calling it never rejects. */
import type { JsonObject } from "../../schemas/data/Json.ts"
import { ServerUnavailable } from "../../schemas/call/CallError.ts"
import { CallCancelled } from "../../schemas/connection/RequestError.ts"
import type {
  AgentTool,
  Content,
  ErrorDetails,
  Progress,
  ToolAnnotations,
  ToolResult
} from "../../schemas/call/Tool.ts"
import { quietly } from "./callbacks.ts"

/** The result of `execute`. Each call returns a new object, which you may change. */
export interface ExecuteResult extends ToolResult {
  readonly content: Array<Content>
}

/** A progress report in the shape of a result, for people instead of the model. */
export interface ToolUpdate {
  readonly content: Array<Content>
  readonly details: { readonly progress: Progress }
}

/** A tool for an agent loop: the interface of OpenClaw and of pi-agent-core's `AgentTool`. */
export interface Tool {
  /** Matches `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`, unless you set a `separator`; unique even if case is ignored. */
  readonly name: string
  readonly label: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: JsonObject
  /**
   * Never rejects: every error is a result with `isError: true`. Aborting cancels the call at its server. `params` must be an
   * object that fits `parameters`; the tool checks that, since the type cannot. `onUpdate` gets the progress that the server
   * reports.
   */
  readonly execute: (
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (update: ToolUpdate) => void
  ) => Promise<ExecuteResult>
  /**
   * Whether only the owner of the agent may use it: tools that `policy.ownerOnly` matches, and those that their server calls
   * destructive.
   */
  readonly ownerOnly: boolean
  /** The server's own hints about the tool, if any. They are untrusted and never grant a permission. */
  readonly annotations?: ToolAnnotations
}

/** Runs one call; `undefined` when it ended without a result because it was aborted or everything was closed. */
export type Call = (
  name: string,
  params: unknown,
  signal: AbortSignal | undefined,
  onProgress: ((progress: Progress) => void) | undefined
) => Promise<ToolResult | undefined>

export interface ToolOptions {
  readonly call: Call
  readonly isClosed: () => boolean
  readonly ownerOnly: boolean
}

const toUpdate = (progress: Progress): ToolUpdate => {
  const { message, progress: done, total } = progress
  const text = message ?? (total === undefined ? `${done}` : `${done} of ${total}`)
  return { content: [{ type: "text", text }], details: { progress } }
}

const toListener = (onUpdate: (update: ToolUpdate) => unknown) => (progress: Progress) => {
  void quietly(() => onUpdate(toUpdate(progress)))
}

const errorResult = (tag: string, text: string, details: Omit<ErrorDetails["error"], "tag">): ExecuteResult => ({
  content: [{ type: "text", text }],
  isError: true,
  details: { error: { tag, ...details } }
})

export const toTool = (agentTool: AgentTool, { call, isClosed, ownerOnly }: ToolOptions): Tool => {
  const { annotations, description, label, name, parameters, server } = agentTool

  const withoutResult = (started: boolean, signal: AbortSignal | undefined): ExecuteResult => {
    const details = { server, tool: name, maybeExecuted: started }
    const error = isClosed()
      ? new ServerUnavailable({ server, state: "Closed", detail: "its connection was closed", retryInMs: null })
      : signal?.aborted === true
        ? new CallCancelled({ server })
        : undefined
    return error === undefined
      ? errorResult("Defect", `The call of tool '${name}' ended without a result.`, details)
      : errorResult(error._tag, error.message, details)
  }

  return {
    name,
    label,
    description,
    parameters,
    ownerOnly,
    ...(annotations !== undefined && { annotations }),
    execute: async (_toolCallId, params, signal, onUpdate) => {
      if (isClosed() || signal?.aborted === true) return withoutResult(false, signal)
      const listener = typeof onUpdate === "function" ? toListener(onUpdate) : undefined
      const result = await call(name, params, signal, listener)
      return result === undefined ? withoutResult(true, signal) : { ...result, content: [...result.content] }
    }
  }
}
