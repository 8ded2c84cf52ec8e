/** Converts errors into results: our report, then the server's own words between boundaries, like all text of a server. */
import { remembering } from "../../../schemas/content/Cleaner.ts"
import type { ContentPolicy } from "../../../schemas/content/ContentPolicy.ts"
import { ERROR_WORDS_MAX_CHARS, LABEL_MAX_CHARS, SHOWN_URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { highest, removedBefore, type Finding } from "../../../schemas/content/Finding.ts"
import type { CallError } from "../../../schemas/call/CallError.ts"
import type { Reader } from "../../../schemas/call/Look.ts"
import { inProse, mergeFindings } from "../../../schemas/content/ServerText.ts"
import type { ErrorDetails, ToolResult } from "../../../schemas/call/Tool.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { reportOf, type Report } from "./errorReport.ts"
import { CHECK_FIRST, hintFor } from "./hints.ts"

type Sanitizer = ContentSanitizer["Service"]

/** What is known about the tool and the server of an error, and who reads it. */
export interface About {
  /** Default: a model. */
  readonly reader?: Reader | undefined
  /** How the server's words are shown. */
  readonly content?: ContentPolicy | undefined
  /** The server's own name of the tool, which introduces its results as well. */
  readonly ownName?: string | undefined
}

interface Said {
  readonly text: string
  readonly findings: ReadonlyArray<Finding>
}

/** The server's own words, below ours: between boundaries, or as the server's policy says. */
const theirsOf = (
  words: string,
  found: ReadonlyArray<Finding>,
  origin: { readonly server: string; readonly tool: string; readonly content?: ContentPolicy },
  sanitizer: Sanitizer
): Said => {
  if (words === "") return { text: "", findings: found }
  const cleaner = remembering(sanitizer)
  const said = inProse(words, cleaner.describe, ERROR_WORDS_MAX_CHARS)
  const before = removedBefore(highest(found, cleaner.findings()))
  if (said.trim() === "") return { text: "", findings: mergeFindings(before) }
  const wrapped = sanitizer.wrap(said, origin, before)
  return { text: `\n${wrapped.text}`, findings: mergeFindings([...before, ...wrapped.findings]) }
}

const errorResult = (
  tag: string,
  { found = [], hint, maybeExecuted, says, server, words = "" }: Report,
  tool: string,
  sanitizer: Sanitizer,
  { content, ownName, reader = "model" }: About = {},
  more: Pick<ErrorDetails["error"], "needsLogin" | "quota"> = {}
): ToolResult => {
  const { label } = sanitizer
  const name = label(tool, LABEL_MAX_CHARS)
  const said = `${label(says, SHOWN_URI_MAX_CHARS)} ${label(hintFor(hint, reader), SHOWN_URI_MAX_CHARS)}`
  const ours = `MCP tool error (${name}): ${said.trimEnd()}`
  const origin = {
    server: server ?? "unknown",
    tool: ownName ?? tool,
    ...(content === undefined ? undefined : { content })
  }
  const { findings, text } = theirsOf(words, found, origin, sanitizer)
  const error = { tag, server, tool, maybeExecuted, ...more }
  return {
    content: [{ type: "text", text: ours + text }],
    isError: true,
    details: findings.length === 0 ? { error } : { error, findings }
  }
}

const moreOf = (error: CallError): Pick<ErrorDetails["error"], "needsLogin" | "quota"> => {
  if (error._tag === "RateLimited") return error.quotaName === undefined ? {} : { quota: error.quotaName }
  const needsLogin =
    error._tag === "ServerUnavailable"
      ? error.needsLogin === true
      : error._tag === "AuthRequired" && error.remedy === "login"
  return needsLogin ? { needsLogin } : {}
}

export const toErrorResult = (
  error: CallError,
  tool: string,
  sanitizer: Sanitizer,
  about: About | undefined
): ToolResult => errorResult(error._tag, reportOf(error), tool, sanitizer, about, moreOf(error))

/** A response that is not a tool result; `fault` says why, in our own words. */
export const toMalformedResult = (
  { server, tool }: { readonly server: string; readonly tool: string },
  fault: string,
  sanitizer: Sanitizer
): ToolResult =>
  errorResult(
    "ProtocolError",
    {
      server,
      says: `MCP server '${server}' answered with an invalid tool result: ${fault}.`,
      hint: CHECK_FIRST,
      maybeExecuted: true
    },
    tool,
    sanitizer
  )

/** A bug of ours: the result shows nothing of it; the log has it. */
export const toDefectResult = (tool: string, sanitizer: Sanitizer, reader?: Reader): ToolResult =>
  errorResult(
    "Defect",
    {
      server: undefined,
      says: "something went wrong inside the gateway.",
      hint: {
        model: `${CHECK_FIRST} Tell the user that the gateway's log says more.`,
        person: `${CHECK_FIRST} The gateway's log says more.`
      },
      maybeExecuted: true
    },
    tool,
    sanitizer,
    { reader }
  )
