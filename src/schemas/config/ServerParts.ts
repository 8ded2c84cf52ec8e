/** Keys of a server whose values have keys of their own. */
import * as Schema from "effect/Schema"
import { FINDING_KINDS, type FindingKind } from "../content/Finding.ts"
import {
  CALLS_IN_FLIGHT_MAX,
  CALLS_PER_MINUTE,
  CIRCUIT_COOL_DOWN_MS,
  CIRCUIT_FAILURES
} from "../defaults/CallLimits.ts"
import { RESULT_MAX_BLOCKS, RESULT_MAX_BYTES } from "../defaults/Results.ts"
import { isObject } from "../data/Json.ts"
import { approvers } from "./Approvers.ts"
import { kindOf, show } from "./Fields.ts"
import { flag, globs, includedGlobs, optional, paths, whole, word } from "./Keys.ts"
import { LIMITS } from "./Limits.ts"
import { noted, notes } from "./Notes.ts"

const amount = whole("a positive number", 1)

export const sandbox = Schema.Union([
  flag,
  Schema.Struct({
    filesystem: optional(
      Schema.Struct({
        read: optional(paths, "[]", "paths that it can read"),
        write: optional(paths, "[]", "paths that it can read and write")
      }),
      "nothing",
      "the files it can see besides its own program"
    ),
    network: optional(flag, "false", "whether it has a network")
  })
]).annotate(
  notes({
    problem: (value) =>
      typeof value === "boolean" || isObject(value)
        ? undefined
        : `must be true, false or an object, is ${kindOf(value)}`
  })
)

/** What happens to a finding. */
export const FINDING = word(["report", "withhold"])

export const onFinding = Schema.Union([
  FINDING,
  Schema.Struct(
    Object.fromEntries(
      FINDING_KINDS.map((kind) => [
        kind,
        optional(FINDING, '"report"', `what happens to text with the finding \`${kind}\``)
      ])
    ) as Record<FindingKind, Schema.optionalKey<typeof FINDING>>
  ).annotate(notes({ unknown: `unknown kind of finding: there are ${FINDING_KINDS.join(", ")}` }))
]).annotate(
  notes({
    problem: (value) => {
      if (typeof value === "string") return `must be "report" or "withhold", is ${show(value)}`
      return isObject(value)
        ? undefined
        : `must be "report", "withhold" or an object with kinds of findings, is ${show(value)}`
    }
  })
)

/** Keys whose members are merged one by one. */
export const GROUPS = {
  tools: {
    include: optional(includedGlobs, "all", "globs over the server's tool names: the tools to offer"),
    exclude: optional(globs, "[]", "globs over the tools to leave out; they win"),
    ask: optional(globs, "[]", "globs over the tools that need a person's approval for each call"),
    approvers
  },
  budget: {
    bytes: optional(
      noted(amount, { written: "bytes" }),
      `${RESULT_MAX_BYTES}`,
      "the limit of text in one result, over all its blocks"
    ),
    blocks: optional(amount, `${RESULT_MAX_BLOCKS}`, "the limit of content blocks in one result"),
    tools: optional(
      Schema.Record(
        Schema.String,
        Schema.Struct({
          bytes: optional(
            noted(amount, { written: "bytes" }),
            "the server's",
            "the limit of text in one result, over all its blocks"
          ),
          blocks: optional(amount, "the server's", "the limit of content blocks in one result")
        })
      ),
      "{}",
      "limits for some tools, by globs over their names; the first match counts"
    )
  },
  limits: {
    perMinute: optional(LIMITS.perMinute, `${CALLS_PER_MINUTE}`, "calls of each agent per minute; 0: no limit"),
    burst: optional(LIMITS.burst, "as `perMinute`", "calls of each agent that may come at once"),
    perDay: optional(
      LIMITS.perDay,
      "no limit",
      "calls of each person in a day of UTC; of each client or agent where there is no person"
    ),
    perMonth: optional(LIMITS.perMonth, "no limit", "the same in a month"),
    inFlight: optional(LIMITS.inFlight, `${CALLS_IN_FLIGHT_MAX}`, "calls at a time, of all agents together"),
    failures: optional(
      LIMITS.failures,
      `${CIRCUIT_FAILURES}`,
      "failures in a row after which calls are refused; 0: never"
    ),
    coolDownMs: optional(
      noted(LIMITS.coolDownMs, { written: "milliseconds" }),
      `${CIRCUIT_COOL_DOWN_MS}`,
      "how long calls are refused before one may try again"
    )
  }
}
