/**
 * `mcp_read_more`: reads the rest of a long result, part by part or around the matches of a text. All of it comes from the
 * server, so it is cleaned and shown according to the server's policy, between boundaries that name the source. Each part is
 * judged separately and may be withheld. Positions count characters of the kept text, so that one part begins where the other
 * ended. Only the requested part is in memory: the file may have many megabytes, and a model may read many parts at once. Each
 * part is cleaned, or searched, in a turn of its own.
 */
import * as Effect from "effect/Effect"
import {
  KEPT_TEXT_CHUNK_CHARS,
  READ_MORE_AROUND_CHARS,
  READ_MORE_GREP_MAX_CHARS,
  READ_MORE_MATCHES_MAX,
  READ_MORE_MAX_CHARS
} from "../../../schemas/defaults/Results.ts"
import { CUT_MARGIN_LOOK_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { highest, type Finding } from "../../../schemas/content/Finding.ts"
import { literalSearch, type Match } from "./literalSearch.ts"
import { InvalidArguments } from "../../../schemas/call/CallError.ts"
import { READ_MORE } from "../../../schemas/call/RuntimeTools.ts"
import { mergeFindings } from "../../../schemas/content/ServerText.ts"
import { onCharacter, windowOf, type TextWindow } from "../../../schemas/content/TextWindow.ts"
import { externalContent, type AgentTool, type ToolResult } from "../../../schemas/call/Tool.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { Keeping, KeptParts } from "../../../services/call/ResultStore.ts"
import { nextTurn } from "../../../system/inTurns.ts"
import { type OwnTool, RUNTIME } from "./OwnTool.ts"
import type { IsReadable } from "./readable.ts"

type Sanitizer = ContentSanitizer["Service"]

export interface Dependencies {
  readonly store: Keeping
  readonly sanitizer: Sanitizer
  readonly isReadable: IsReadable
}

const AGENT_TOOL: AgentTool = {
  name: READ_MORE,
  label: "Read more of a result",
  description:
    "Reads more of a result that was too long to be shown whole, by the handle that its text names. Without grep it returns " +
    `length characters from offset on (at most ${READ_MORE_MAX_CHARS}). With grep it returns the places where that text ` +
    `occurs, ignoring case, with line number, offset and surroundings (at most ${READ_MORE_MATCHES_MAX}). The ` +
    "answer says which part it is, how long the whole is, and where to continue.",
  parameters: {
    type: "object",
    properties: {
      handle: { type: "string", description: 'As the shortened result names it: "r-" and 16 digits.' },
      offset: { type: "integer", minimum: 0, description: "Character at which to begin. Default: 0." },
      length: {
        type: "integer",
        minimum: 1,
        description: `Characters to read, or to search. Default: ${READ_MORE_MAX_CHARS}; with grep, all.`
      },
      grep: { type: "string", maxLength: READ_MORE_GREP_MAX_CHARS, description: "A text to find; not a pattern." }
    },
    required: ["handle"]
  },
  server: RUNTIME,
  tool: "read_more",
  annotations: { readOnlyHint: true }
}

export const makeReadMore = (dependencies: Dependencies): OwnTool => ({
  agentTool: AGENT_TOOL,
  ofRuntime: true,
  run: Effect.fnUntraced(function* (args, { options: { caller } }) {
    const client = caller?.client
    const { grep, handle, length, offset } = yield* decode(args)
    const kept = yield* dependencies.store.open(handle)
    // What was returned to one client is for that client, whoever tells its handle to the agent.
    if (kept === undefined || (kept.origin.client ?? client) !== client) return GONE
    if (!dependencies.isReadable(caller, kept.origin)) return GONE
    if (offset > 0 && offset >= kept.length) {
      return yield* invalid(`the offset is beyond the end: the text has ${kept.length} characters`)
    }
    const answered =
      grep === undefined
        ? partOf(kept, handle, offset, Math.min(length ?? READ_MORE_MAX_CHARS, READ_MORE_MAX_CHARS), dependencies)
        : placesIn(kept, handle, offset, length, grep, dependencies)
    return (yield* answered) ?? GONE
  })
})

// ---- arguments -----------------------------------------------------------------------------------------------------

const invalid = (detail: string) => new InvalidArguments({ tool: READ_MORE, detail })

interface Wanted {
  readonly handle: string
  readonly offset: number
  readonly length: number | undefined
  readonly grep: string | undefined
}

const decode = (args: Readonly<Record<string, unknown>>): Effect.Effect<Wanted, InvalidArguments> => {
  const { grep, handle, length, offset } = args
  if (typeof handle !== "string") return Effect.fail(invalid("handle must be a text, as the shortened result names it"))
  if (!isAbsent(offset) && !isCount(offset, 0))
    return Effect.fail(invalid("offset must be a whole number, not below 0"))
  if (!isAbsent(length) && !isCount(length, 1))
    return Effect.fail(invalid("length must be a whole number, not below 1"))
  if (!isAbsent(grep) && (typeof grep !== "string" || grep === "" || grep.length > READ_MORE_GREP_MAX_CHARS)) {
    return Effect.fail(invalid(`grep must be a text of 1 to ${READ_MORE_GREP_MAX_CHARS} characters`))
  }
  return Effect.succeed({ handle, offset: offset ?? 0, length: length ?? undefined, grep: grep ?? undefined })
}

/** Some models write null for what they leave out. */
const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

const isCount = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least

/** Only the tool that returned the text can return it again. */
const GONE: ToolResult = {
  content: [
    {
      type: "text",
      text: `MCP tool error (${READ_MORE}): There is nothing under this handle: it may have expired. Call the tool that returned it again.`
    }
  ],
  isError: true,
  details: { error: { tag: "InvalidArguments", server: undefined, tool: READ_MORE, maybeExecuted: false } }
}

// ---- parts ---------------------------------------------------------------------------------------------------------

/** A part of a text with some context on both sides, so that cutting at its edges changes nothing that is shown. */
interface Near {
  readonly text: string
  /** Its position in the whole text. */
  readonly start: number
}

const MARGIN = CUT_MARGIN_LOOK_MAX_CHARS + 2

const near = ({ length, slice }: KeptParts, from: number, to: number): Effect.Effect<Near | undefined> => {
  const start = Math.max(0, from - MARGIN)
  return Effect.map(slice(start, Math.min(length, to + MARGIN)), (text) =>
    text === undefined ? text : { text, start }
  )
}

/** `from` and `to` are positions in the whole text, and so are those of the window. */
const windowIn = ({ start, text }: Near, from: number, to: number, { clean }: Sanitizer): TextWindow => {
  const part = windowOf(text, from - start, to - start, clean)
  return { ...part, start: part.start + start, end: part.end + start }
}

const partOf = Effect.fnUntraced(function* (
  kept: KeptParts,
  handle: string,
  offset: number,
  length: number,
  { sanitizer }: Dependencies
) {
  const around = yield* near(kept, offset, Math.min(kept.length, offset + length))
  if (around === undefined) return undefined
  yield* nextTurn
  const window = (chars: number) => windowIn(around, offset, endOf(around, offset, chars), sanitizer)
  let part = window(length)
  // Many forged markers become longer when they are cleaned: then less text is shown at a time.
  for (let less = length >> 1; part.text.length > READ_MORE_MAX_CHARS && less > 0; less >>= 1) part = window(less)
  const next = part.end < kept.length ? `Go on with offset ${part.end}.` : "This is the end."
  const says = `Characters ${part.start} to ${part.end} of ${kept.length} of ${handle}. ${next}`
  return answer(kept, handle, part.isCut ? `${says} ${LEFT_OUT}` : says, part.text, part.findings, sanitizer)
})

/** `length` characters further, and at least one whole character. */
const endOf = ({ start, text }: Near, from: number, length: number): number => {
  const end = start + onCharacter(text, Math.min(text.length, from - start + length))
  return end > from ? end : Math.min(start + text.length, from + 2)
}

const LEFT_OUT = "Text beside a long run of invisible characters is left out."

// ---- places --------------------------------------------------------------------------------------------------------

const placesIn = Effect.fnUntraced(function* (
  kept: KeptParts,
  handle: string,
  offset: number,
  length: number | undefined,
  wanted: string,
  { sanitizer }: Dependencies
) {
  const end = length === undefined ? kept.length : Math.min(kept.length, offset + length)
  const search = literalSearch(wanted, offset, end)
  const places: Array<string> = []
  const findings: Array<Finding> = []
  let chars = 0
  let shownTo = 0
  let next: number | undefined
  let isCut = false
  for (let start = 0; start < end && next === undefined; start += KEPT_TEXT_CHUNK_CHARS) {
    const read = yield* kept.slice(start, Math.min(end, start + KEPT_TEXT_CHUNK_CHARS))
    if (read === undefined) return undefined
    yield* nextTurn
    for (const match of search(read)) {
      // It is within what is shown of the previous match.
      if (match.end <= shownTo) continue
      const beside = yield* near(kept, match.start - READ_MORE_AROUND_CHARS, match.end + READ_MORE_AROUND_CHARS)
      if (beside === undefined) return undefined
      yield* nextTurn
      const around = surroundings(beside, match)
      const part = windowIn(beside, around.start, around.end, sanitizer)
      if (places.length === READ_MORE_MATCHES_MAX || chars + part.text.length > READ_MORE_MAX_CHARS) {
        next = match.start
        break
      }
      places.push(`line ${match.line}, offset ${match.start}: ${around.before}${part.text}${around.after}`)
      findings.push(...part.findings)
      chars += part.text.length
      shownTo = part.end
      isCut ||= part.isCut
    }
  }
  const found =
    places.length === 0 ? "Not found" : places.length === 1 ? "Found in 1 place" : `Found in ${places.length} places`
  const says = `${found} within characters ${offset} to ${next ?? end} of ${kept.length} of ${handle}.`
  const goOn = next ?? (end < kept.length ? end : undefined)
  const hints = [...(goOn === undefined ? [] : [`Go on with offset ${goOn}.`]), ...(isCut ? [LEFT_OUT] : [])]
  return answer(kept, handle, [says, ...hints].join(" "), places.join("\n"), findings, sanitizer)
})

/** The part of a match's line that is shown. */
const surroundings = ({ start: begin, text }: Near, match: Match) => {
  const [start, end] = [match.start - begin, match.end - begin]
  const left = Math.max(0, start - READ_MORE_AROUND_CHARS)
  const right = Math.min(text.length, end + READ_MORE_AROUND_CHARS)
  const before = text.slice(left, start).lastIndexOf("\n")
  const after = text.slice(end, right).indexOf("\n")
  return {
    start: begin + left + before + 1,
    end: begin + (after === -1 ? right : end + after),
    before: before === -1 && left > 0 ? "…" : "",
    after: after === -1 && right < text.length ? "…" : ""
  }
}

// ---- answers -------------------------------------------------------------------------------------------------------

const answer = (
  { origin }: KeptParts,
  handle: string,
  says: string,
  text: string,
  found: ReadonlyArray<Finding>,
  { wrap }: Sanitizer
): ToolResult => {
  const before = mergeFindings(found)
  const wrapped = text === "" ? undefined : wrap(text, origin, before)
  const isShown = wrapped !== undefined && !wrapped.withheld
  const { server, tool = READ_MORE } = origin
  return {
    content: [{ type: "text", text: wrapped === undefined ? says : `${says}\n${wrapped.text}` }],
    isError: false,
    details: {
      externalContent: externalContent({ ...origin, server, tool }, isShown),
      // Other parts may be shown, so their positions are still given.
      ...(wrapped?.withheld === true ? { withheld: true as const } : undefined),
      // Findings that are still in the text were found twice.
      findings: highest(before, wrapped?.findings ?? []),
      notes: [says],
      handle
    }
  }
}
