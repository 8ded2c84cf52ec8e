/** Decodes results of tools out of a file of a conversation. Members that only inform are left out if they are not valid. */
import * as Schema from "effect/Schema"
import { CONTENT_MODES } from "../../../schemas/content/ContentPolicy.ts"
import { FINDING_KINDS } from "../../../schemas/content/Finding.ts"
import type { Json } from "../../../schemas/data/Json.ts"
import { ifValid, reader } from "../../../schemas/data/Lenient.ts"
import type { ToolResult } from "../../../schemas/call/Tool.ts"

const Count = Schema.Number.check(Schema.isGreaterThanOrEqualTo(0))
const text = Schema.optionalKey(Schema.String)

const Content = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("image"), data: Schema.String, mimeType: Schema.String })
])

const Finding = Schema.Struct({ kind: Schema.Literals(FINDING_KINDS), detail: Schema.String, count: Count })

const Original = Schema.Struct({
  type: Schema.Literals(["audio", "image", "blob", "resource_link"]),
  bytes: Count,
  mimeType: text,
  uri: text,
  data: text,
  handle: text,
  link: ifValid(
    Schema.Struct({
      name: ifValid(Schema.String),
      title: ifValid(Schema.String),
      description: ifValid(Schema.String),
      size: ifValid(Count)
    })
  )
})

const Failure = Schema.Struct({
  error: Schema.Struct({ tag: Schema.String, server: text, tool: Schema.String, maybeExecuted: Schema.Boolean }),
  findings: Schema.optionalKey(Schema.Array(Finding))
})

const Details = Schema.Struct({
  externalContent: Schema.Struct({
    untrusted: Schema.Boolean,
    server: Schema.String,
    tool: Schema.String,
    mode: Schema.Literals(CONTENT_MODES),
    wrapped: Schema.Boolean
  }),
  withheld: ifValid(Schema.Literal(true)),
  findings: Schema.Array(Finding),
  notes: Schema.Array(Schema.String),
  originals: Schema.optionalKey(Schema.Array(Original)),
  handle: ifValid(Schema.String),
  annotations: ifValid(
    Schema.Struct({
      readOnlyHint: ifValid(Schema.Boolean),
      destructiveHint: ifValid(Schema.Boolean),
      idempotentHint: ifValid(Schema.Boolean),
      openWorldHint: ifValid(Schema.Boolean)
    })
  )
})

const read = reader(
  Schema.Struct({
    content: Schema.Array(Content),
    isError: Schema.Boolean,
    details: Schema.Union([Failure, Details]),
    structuredContent: Schema.optionalKey(Schema.Unknown)
  })
)

const detailsOf = (given: typeof Failure.Type | typeof Details.Type): ToolResult["details"] => {
  if ("error" in given) return { ...given, error: { server: undefined, ...given.error } }
  const { externalContent, originals = [], ...details } = given
  return {
    ...details,
    externalContent: { source: "mcp_server", ...externalContent },
    ...(originals.length === 0
      ? {}
      : { originals: originals.map((one) => ({ mimeType: undefined, uri: undefined, ...one })) })
  }
}

export const readResult = (given: unknown): ToolResult | undefined => {
  const result = read(given)
  if (result === undefined) return undefined
  const { details, structuredContent, ...rest } = result
  return {
    ...rest,
    details: detailsOf(details),
    // What comes out of a line of JSON is JSON.
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as Json })
  }
}
