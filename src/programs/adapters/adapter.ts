/** What the adapters share: calls by name with unchecked arguments, and results as text. */
import { LABEL_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { formatBytes } from "../../schemas/content/Rendering.ts"
import type { Provider } from "../../schemas/call/NormalizeSchema.ts"
import type { ImageContent, Content } from "../../schemas/call/Tool.ts"
import { parseObject } from "../../schemas/call/ToolArguments.ts"
import * as Result from "effect/Result"
import type { ExecuteResult, Tool } from "../loadMCPServers/Tool.ts"

/** The provider whose rules the JSON Schemas must meet. */
export interface SchemaOptions {
  /** Default: `json-schema`, which is plain JSON Schema. */
  readonly provider?: Provider | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

/** Describes an image where only text is possible. */
export const describeImage = ({ data, mimeType }: ImageContent): string =>
  `[Image: ${mimeType}, ${formatBytes(Math.floor((data.length * 3) / 4))}]`

/** For models and messages that accept only text. */
export const textOf = (content: ReadonlyArray<Content>): string =>
  content.map((block) => (block.type === "text" ? block.text : describeImage(block))).join("\n")

export const imagesOf = (content: ReadonlyArray<Content>): ReadonlyArray<ImageContent> =>
  content.filter((block) => block.type === "image")

export const dataUrl = ({ data, mimeType }: ImageContent): string => `data:${mimeType};base64,${data}`

const refusal = (tool: string, tag: string, text: string): ExecuteResult => ({
  content: [{ type: "text", text }],
  isError: true,
  details: { error: { tag, server: undefined, tool, maybeExecuted: false } }
})

/** A name that the model may have invented, cut to fit one line. */
const shown = (name: unknown) =>
  String(name)
    .slice(0, LABEL_MAX_CHARS)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")

/** Calls a tool as a model asked for it. Unknown names and arguments that are not JSON give error results. */
export const caller = (tools: ReadonlyArray<Tool>) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return async (name: string, id: string, args: unknown, { signal }: CallOptions = {}): Promise<ExecuteResult> => {
    const tool = byName.get(name)
    if (tool === undefined) return refusal(shown(name), "ToolNotFound", `There is no tool '${shown(name)}'.`)
    // Models send an empty text as the arguments of a tool without parameters.
    const parsed = typeof args === "string" ? parseObject(args.trim() === "" ? "{}" : args) : Result.succeed(args)
    if (Result.isFailure(parsed)) return refusal(name, "InvalidArguments", `${parsed.failure}.`)
    return tool.execute(id, parsed.success, signal)
  }
}
