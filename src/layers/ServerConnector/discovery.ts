/**
 * Lists everything that a server offers: all pages, within bounds, decoded with tolerance. A list that the server does not
 * know is empty; only the tools' list can fail a connection, the others leave a diagnostic.
 */
import * as Effect from "effect/Effect"
import {
  decodePrompt,
  decodeResource,
  decodeTool,
  makeDecoding,
  quotedWith,
  type Catalogue,
  type Decoded,
  type Offers,
  type Quote,
  type ToolDefinition
} from "../../schemas/Catalogue.ts"
import { LIST_MAX_CHARS, LIST_MAX_ITEMS, LIST_MAX_PAGES } from "../../schemas/defaults/Definitions.ts"
import { eachInTurns } from "../../system/inTurns.ts"
import { isObject } from "../../schemas/Json.ts"
import { ProtocolError, type RequestError } from "../../schemas/McpError.ts"
import { request, type Session } from "./Session.ts"

const METHOD_NOT_FOUND = -32601

interface Listing<A> {
  readonly values: ReadonlyArray<A>
  readonly diagnostics: ReadonlyArray<string>
}

const NOTHING: Listing<never> = { values: [], diagnostics: [] }

/** Follows the cursors. An absent cursor ends the list, an empty one does not (Pagination). */
const collectPages = Effect.fnUntraced(function* (
  session: Session,
  method: string,
  key: string,
  timeoutMs: number
): Effect.fn.Return<{ items: ReadonlyArray<unknown>; problem: string | undefined }, RequestError> {
  const items: Array<unknown> = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 1; page <= LIST_MAX_PAGES; page++) {
    const result = yield* request(session, method, cursor === undefined ? {} : { cursor }, {
      idleMs: timeoutMs,
      totalMs: timeoutMs
    })
    const found = isObject(result) ? result[key] : undefined
    if (!Array.isArray(found)) {
      const detail = `the answer holds no list of ${key}`
      if (page === 1) return yield* new ProtocolError({ server: session.server, code: null, detail, isOurs: true })
      return { items, problem: `${method}: ${detail}` }
    }
    items.push(...found.slice(0, LIST_MAX_ITEMS + 1 - items.length))
    if (items.length > LIST_MAX_ITEMS) {
      return {
        items: items.slice(0, LIST_MAX_ITEMS),
        problem: `${method}: only the first ${LIST_MAX_ITEMS} were taken`
      }
    }
    const next = isObject(result) ? result["nextCursor"] : undefined
    if (typeof next !== "string") return { items, problem: undefined }
    if (seen.has(next)) return { items, problem: `${method}: the server gave the same cursor twice` }
    seen.add(next)
    cursor = next
  }
  return { items, problem: `${method}: only the first ${LIST_MAX_PAGES} pages were taken` }
})

/** Each of them will be kept and cleaned, character by character: there is a bound for all lists of a server together. */
interface Room {
  chars: number
}

const withinSize = Effect.fnUntraced(function* <A>(method: string, { diagnostics, values }: Listing<A>, room: Room) {
  let count = 0
  yield* eachInTurns(values, (value) => {
    if (room.chars >= 0) room.chars -= JSON.stringify(value).length
    if (room.chars >= 0) count++
  })
  if (count === values.length) return { values, diagnostics }
  const problem = `${method}: only the first ${count} were taken, the list is too large`
  return { values: values.slice(0, count), diagnostics: [problem, ...diagnostics] }
})

const list = Effect.fnUntraced(
  function* <A>(
    session: Session,
    method: string,
    key: string,
    timeoutMs: number,
    decode: (raw: unknown, quote: Quote) => Decoded<A>,
    identity: (value: A) => string
  ): Effect.fn.Return<Listing<A>, RequestError> {
    const { items, problem } = yield* collectPages(session, method, key, timeoutMs)
    const decoding = makeDecoding(decode, identity, quotedWith(session.tidy))
    yield* eachInTurns(items, decoding.add)
    const { diagnostics, values } = decoding.decoded()
    return { values, diagnostics: problem === undefined ? diagnostics : [problem, ...diagnostics] }
  },
  Effect.catchTag("ProtocolError", (error) =>
    error.code === METHOD_NOT_FOUND ? Effect.succeed(NOTHING) : Effect.fail(error)
  )
)

/** A list that the agent can do without: only the loss of the connection itself is a failure. */
const optional =
  (name: string) =>
  <A>(self: Effect.Effect<Listing<A>, RequestError>): Effect.Effect<Listing<A>, RequestError> =>
    self.pipe(
      Effect.catchIf(
        (error) => error._tag !== "ConnectionLost",
        ({ _tag }) =>
          Effect.succeed({ values: [], diagnostics: [`${name}: the server gave no usable answer (${_tag})`] })
      )
    )

export const listTools = (session: Session, timeoutMs: number): Effect.Effect<Listing<ToolDefinition>, RequestError> =>
  list(session, "tools/list", "tools", timeoutMs, session.decodeTool ?? decodeTool, (tool) => tool.name)

type Capabilities = Readonly<Record<string, unknown>>

/** What the server declares, and we want of it. */
const offersOf = (capabilities: Capabilities, wantsResources: boolean): Offers => {
  const { completions, prompts, resources } = capabilities
  return {
    resources: wantsResources,
    subscriptions: wantsResources && isObject(resources) && resources["subscribe"] === true,
    prompts: prompts !== undefined,
    completions: completions !== undefined
  }
}

export const discover = Effect.fnUntraced(function* (
  session: Session,
  capabilities: Capabilities,
  options: { readonly resources: boolean; readonly timeoutMs: number }
): Effect.fn.Return<Catalogue, RequestError> {
  const { timeoutMs } = options
  // So that one that hangs leaves time for the tools.
  const optionalMs = timeoutMs / 2
  const offers = offersOf(capabilities, options.resources && capabilities["resources"] !== undefined)
  const none = Effect.succeed(NOTHING)
  const [toolsListed, resourcesListed, templatesListed, promptsListed] = yield* Effect.all(
    [
      // Asked for even when the capability was not declared: some servers forget to.
      listTools(session, timeoutMs),
      offers.resources
        ? list(
            session,
            "resources/list",
            "resources",
            optionalMs,
            decodeResource("uri"),
            (resource) => resource.uri
          ).pipe(optional("resources/list"))
        : none,
      offers.resources
        ? list(
            session,
            "resources/templates/list",
            "resourceTemplates",
            optionalMs,
            decodeResource("uriTemplate"),
            (template) => template.uri
          ).pipe(optional("resources/templates/list"))
        : none,
      offers.prompts
        ? list(session, "prompts/list", "prompts", optionalMs, decodePrompt, (prompt) => prompt.name).pipe(
            optional("prompts/list")
          )
        : none
    ],
    { concurrency: "unbounded" }
  )
  // In this order, whichever came first.
  const room: Room = { chars: LIST_MAX_CHARS }
  const tools = yield* withinSize("tools/list", toolsListed, room)
  const resources = yield* withinSize("resources/list", resourcesListed, room)
  const templates = yield* withinSize("resources/templates/list", templatesListed, room)
  const prompts = yield* withinSize("prompts/list", promptsListed, room)
  return {
    offers,
    tools: tools.values,
    resources: resources.values,
    resourceTemplates: templates.values,
    prompts: prompts.values,
    diagnostics: [tools, resources, templates, prompts].flatMap((listing) => listing.diagnostics)
  }
})
