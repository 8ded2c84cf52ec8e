/** The values of the control contract that are not its own, as Schemas: the status of servers, tools, results and questions. */
import * as Schema from "effect/Schema"
import { APPROVAL_ANSWERS } from "../call/Approval.ts"
import type { AgentTool, ErrorDetails, ResultDetails } from "../call/Tool.ts"
import type { Json, JsonObject } from "../data/Json.ts"

/** A value that passes as it is: JSON of a server that was cleaned before, or data that only the two ends of the contract know. */
export const asIs = <A>(): Schema.Codec<A> => Schema.Any as Schema.Codec<A>

/** The states of a server. */
export const STATES = ["Disabled", "Idle", "Connecting", "Ready", "Backoff", "Failed", "Closed"] as const

export const StatusValue = Schema.Struct({
  state: Schema.Literals(STATES),
  transport: Schema.Literals(["stdio", "http", "sse"]),
  protocolVersion: Schema.NullOr(Schema.String),
  tools: Schema.Finite,
  withheld: Schema.optional(Schema.Finite),
  unreviewed: Schema.optional(Schema.Finite),
  denied: Schema.optional(Schema.Finite),
  resources: Schema.Finite,
  prompts: Schema.Finite,
  pid: Schema.NullOr(Schema.Finite),
  connectMs: Schema.NullOr(Schema.Finite),
  restarts: Schema.Finite,
  lastError: Schema.NullOr(Schema.String),
  retryInMs: Schema.optional(Schema.Finite),
  circuit: Schema.optional(Schema.Struct({ retryInMs: Schema.Finite })),
  inFlight: Schema.optional(Schema.Finite),
  relistMs: Schema.optional(Schema.Finite),
  tooLarge: Schema.optional(Schema.String),
  node: Schema.optional(Schema.NullOr(Schema.String)),
  waits: Schema.optional(Schema.Literals(["login", "person"]))
})

/** By the name of the server. */
export const StatusesValue = Schema.Record(Schema.String, StatusValue)

export const ToolValue = Schema.Struct({
  name: Schema.String,
  label: Schema.String,
  description: Schema.String,
  parameters: asIs<JsonObject>(),
  server: Schema.String,
  tool: Schema.String,
  annotations: Schema.optional(asIs<NonNullable<AgentTool["annotations"]>>()),
  outputSchema: Schema.optional(asIs<JsonObject>())
})

export const ContentValue = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("image"), data: Schema.String, mimeType: Schema.String })
])

export const ResultValue = Schema.Struct({
  content: Schema.Array(ContentValue),
  isError: Schema.Boolean,
  details: asIs<ResultDetails | ErrorDetails>(),
  structuredContent: Schema.optionalKey(asIs<Json>())
})

export const ProgressValue = Schema.Struct({
  progress: Schema.Finite,
  total: Schema.UndefinedOr(Schema.Finite),
  message: Schema.UndefinedOr(Schema.String)
})

export const QuestionValue = Schema.Struct({
  agent: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  exposed: Schema.String,
  rule: Schema.String,
  arguments: Schema.String,
  changed: Schema.Boolean,
  caller: Schema.optionalKey(Schema.UndefinedOr(Schema.String)),
  approvers: Schema.optionalKey(Schema.UndefinedOr(Schema.Array(Schema.String)))
})

export const AnswerValue = Schema.Literals(APPROVAL_ANSWERS)

export const ApprovalValue = Schema.Struct({
  agent: Schema.String,
  server: Schema.String,
  launch: Schema.String,
  tool: Schema.String,
  definition: Schema.String,
  approvedAt: Schema.Finite,
  personId: Schema.optional(Schema.String),
  personName: Schema.optional(Schema.String)
})
