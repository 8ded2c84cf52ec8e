/** Tools of the form that adapters take, with results as data. */
import type { ExecuteResult, Tool } from "../../../src/programs/loadMCPServers/Tool.ts"
import type { Content } from "../../../src/schemas/call/Tool.ts"

export const PNG = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const

export const text = (value: string): Content => ({ type: "text", text: value })

export const resultOf = (content: ReadonlyArray<Content>, isError = false): ExecuteResult => ({
  content: [...content],
  isError,
  details: {
    externalContent: {
      untrusted: true,
      source: "mcp_server",
      server: "fs",
      tool: "read",
      mode: "delimit",
      wrapped: true
    },
    findings: [],
    notes: []
  }
})

export interface Executed {
  readonly id: string
  readonly params: unknown
  readonly signal: AbortSignal | undefined
}

/** A tool that always answers the same, and what it was called with. */
export const tool = (name: string, result: ExecuteResult, over: Partial<Tool> = {}) => {
  const executed: Array<Executed> = []
  const made: Tool = {
    name,
    label: name,
    description: `The tool ${name}`,
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    ownerOnly: false,
    execute: async (id, params, signal) => {
      executed.push({ id, params, signal })
      return result
    },
    ...over
  }
  return { tool: made, executed }
}
