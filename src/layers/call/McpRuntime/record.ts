/** A call as it goes through its stages, and its record in the audit log, without values. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { roughShapeOf, shapeOf } from "../../../schemas/call/ArgumentShape.ts"
import { type Trail, trailNow } from "../../../schemas/call/Trail.ts"
import type { ToolResult } from "../../../schemas/call/Tool.ts"
import type { Standing } from "../../../schemas/login/Standing.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import type { AuditLog } from "../../../services/call/AuditLog.ts"
import type { CallOptions } from "../../../services/call/McpRuntime.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { Decision } from "../../../services/call/ToolPolicy.ts"
import type { Catalog } from "./catalog.ts"
import type { Route } from "./Route.ts"

export interface RecordParts {
  readonly agent: string
  readonly audit: AuditLog["Service"]
  readonly catalog: Pick<Catalog, "shown">
  readonly clock: Clock.Clock
  readonly sanitizer: ContentSanitizer["Service"]
}

/** A call as it was requested. */
export interface Asked {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly options: CallOptions
  readonly startedAt: number
  readonly trail: Trail
}

/** A call whose name has been resolved. */
export interface Call<R extends Route = Route> extends Asked {
  readonly route: R
  readonly decision: Decision
  /** Of the caller, when it was decided. */
  readonly standing: Standing | undefined
}

const NOWHERE = { route: undefined, decision: undefined }
const NO_FINDINGS: ReadonlyArray<Finding> = []

const findingsOf = ({ details }: ToolResult): ReadonlyArray<Finding> =>
  "findings" in details ? details.findings : NO_FINDINGS

const outcomeOf = ({ details, isError }: ToolResult): string =>
  "error" in details ? details.error.tag : isError ? "isError" : "ok"

const quotaOf = ({ details }: ToolResult): string | undefined => ("error" in details ? details.error.quota : undefined)

/** When the person denies a call, the record shows its rule as denying. */
const isDenied = ({ details }: ToolResult): boolean => "error" in details && details.error.tag === "ApprovalDenied"
const denied = ({ rule }: Decision): Decision => ({ allowed: false, rule })

const sizeOf = ({ content }: ToolResult): number => {
  let size = 0
  for (const block of content) size += block.type === "text" ? block.text.length : block.data.length
  return size
}

/** Without a result, the call was interrupted. `undefined`: nothing is left to do. */
export const makeRecord =
  ({ agent, audit, catalog, clock, sanitizer }: RecordParts) =>
  (call: Asked | Call, result: ToolResult | undefined): Effect.Effect<void> | undefined => {
    const { args, name, options, startedAt, trail } = call
    const { decision, route } = "route" in call ? call : NOWHERE
    const endedAt = clock.currentTimeMillisUnsafe()
    trail.ended = trailNow()
    const rest = audit.record({
      agent,
      client: options.caller?.client,
      person: options.caller?.person,
      server: route?.agentTool.server,
      tool: route?.agentTool.tool ?? catalog.shown(name),
      shape: (rough) => (rough === true ? roughShapeOf : shapeOf)(args, sanitizer.label),
      durationMs: endedAt - startedAt,
      endedAt,
      outcome: result === undefined ? "interrupted" : outcomeOf(result),
      quota: result === undefined ? undefined : quotaOf(result),
      resultChars: result === undefined ? 0 : sizeOf(result),
      findings: result === undefined ? NO_FINDINGS : findingsOf(result),
      definition: route?._tag === "ServerRoute" ? route.standing.hash : undefined,
      decision: decision !== undefined && result !== undefined && isDenied(result) ? denied(decision) : decision,
      trail
    })
    return rest === Effect.void ? undefined : rest
  }
