/**
 * Lists everything that a server offers: all pages, within bounds and the memory for its lists. Faulty entries are left out and
 * reported. A list that the server does not know is empty. Only the list of tools can fail a connection; the others leave a diagnostic.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
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
  type ResourceDefinition,
  type ToolDefinition
} from "../../../../schemas/connection/Catalogue.ts"
import {
  CURSOR_MAX_CHARS,
  LIST_MAX_BYTES,
  LIST_MAX_ITEMS,
  LIST_MAX_PAGES
} from "../../../../schemas/defaults/Definitions.ts"
import type { ListRoom } from "../../../../schemas/connection/ListRoom.ts"
import { weightOf } from "../../../../schemas/connection/Weight.ts"
import { eachInTurns } from "../../../../system/inTurns.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { ProtocolError, type RequestError } from "../../../../schemas/connection/RequestError.ts"
import { request, type Session } from "../rpc/Session.ts"

const METHOD_NOT_FOUND = -32601

interface Listing<A> {
  readonly values: ReadonlyArray<A>
  readonly diagnostics: ReadonlyArray<string>
  /** There was no room for more than these. */
  readonly isFull: boolean
}

const NOTHING: Listing<never> = { values: [], diagnostics: [], isFull: false }

/** How each list of a server is read. */
interface Way {
  readonly session: Session
  readonly timeoutMs: number
  /** Takes this many bytes if there is room for them. */
  readonly take: (bytes: number) => boolean
  /** Opens when the lists before this one have taken their room: tools come first, whichever list is answered first. */
  readonly before: Latch.Latch
  /** Opens when this list is read. */
  readonly done: Latch.Latch
}

/**
 * Follows the cursors. A missing cursor ends the list, an empty one does not (Pagination). Only decoded entries of a page are kept,
 * and no further page is requested when there is no room for more.
 */
const collectPages = Effect.fnUntraced(function* (
  { before, session, timeoutMs }: Way,
  method: string,
  key: string,
  /** Gives `false` when there is no room for the item. */
  add: (item: unknown) => boolean
): Effect.fn.Return<{ readonly problem: string | undefined; readonly isFull: boolean }, RequestError> {
  const ends = (problem: string | undefined, isFull = false) => ({ problem, isFull })
  const seen = new Set<string>()
  let [count, isFull] = [0, false]
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
      return ends(`${method}: ${detail}`)
    }
    yield* before.await
    const items = found.slice(0, LIST_MAX_ITEMS - count)
    count += items.length
    yield* eachInTurns(items, (item) => {
      isFull ||= !add(item)
    })
    if (isFull) return ends(undefined, isFull)
    if (items.length < found.length) return ends(`${method}: only the first ${LIST_MAX_ITEMS} were taken`)
    const next = isObject(result) ? result["nextCursor"] : undefined
    if (typeof next !== "string") return ends(undefined)
    if (next.length > CURSOR_MAX_CHARS) return ends(`${method}: the server gave a cursor that is too long`)
    if (seen.has(next)) return ends(`${method}: the server gave the same cursor twice`)
    seen.add(next)
    cursor = next
  }
  return ends(`${method}: only the first ${LIST_MAX_PAGES} pages were taken`)
})

const list = Effect.fnUntraced(
  function* <A>(
    way: Way,
    method: string,
    key: string,
    decode: (raw: unknown, quote: Quote) => Decoded<A>,
    identity: (value: A) => string
  ): Effect.fn.Return<Listing<A>, RequestError> {
    const hasRoom = (value: A) => way.take(weightOf(value))
    const decoding = makeDecoding(decode, identity, quotedWith(way.session.tidy), hasRoom)
    const { isFull, problem } = yield* collectPages(way, method, key, decoding.add)
    const { diagnostics, values } = decoding.decoded()
    const full = isFull ? [`${method}: only the first ${values.length} were taken, there is no room for more`] : []
    return { values, diagnostics: [...(problem === undefined ? full : [problem]), ...diagnostics], isFull }
  },
  (self, { done }) =>
    self.pipe(
      Effect.catchTag("ProtocolError", (error) =>
        error.code === METHOD_NOT_FOUND ? Effect.succeed(NOTHING) : Effect.fail(error)
      ),
      Effect.ensuring(done.open)
    )
)

/** A list that the agent can do without: only the loss of the connection is a failure. */
const optional =
  (name: string) =>
  <A>(self: Effect.Effect<Listing<A>, RequestError>): Effect.Effect<Listing<A>, RequestError> =>
    self.pipe(
      Effect.catchIf(
        (error) => error._tag !== "ConnectionLost",
        ({ _tag }) =>
          Effect.succeed({ ...NOTHING, diagnostics: [`${name}: the server gave no usable answer (${_tag})`] })
      )
    )

/** Lists the tools again without keeping them. */
export const listTools = (
  session: Session,
  timeoutMs: number
): Effect.Effect<Listing<ToolDefinition>, RequestError> => {
  let left = LIST_MAX_BYTES
  const take = (bytes: number) => (left -= bytes) >= 0
  return toolsOf({ session, timeoutMs, take, before: Latch.makeUnsafe(true), done: Latch.makeUnsafe() })
}

const toolsOf = (way: Way) => list(way, "tools/list", "tools", way.session.decodeTool ?? decodeTool, ({ name }) => name)

type Capabilities = Readonly<Record<string, unknown>>

/** What the server declares and the configuration wants. */
const offersOf = (capabilities: Capabilities, wantsResources: boolean): Offers => {
  const { completions, prompts, resources } = capabilities
  return {
    resources: wantsResources,
    subscriptions: wantsResources && isObject(resources) && resources["subscribe"] === true,
    prompts: prompts !== undefined,
    completions: completions !== undefined
  }
}

/** The lists that did not fit, in words. */
const missingOf = (listings: Readonly<Record<string, Listing<unknown>>>): Pick<Catalogue, "tooLarge"> => {
  const cut = Object.entries(listings).filter(([, { isFull }]) => isFull)
  if (cut.length === 0) return {}
  const counts = cut.map(([what, { values }]) =>
    values.length === 0 ? `no ${what}` : `only the first ${values.length} ${what}`
  )
  return { tooLarge: `its lists are larger than the room that there is for them: it has ${counts.join(", ")}` }
}

export interface DiscoverOptions {
  readonly resources: boolean
  readonly timeoutMs: number
  readonly room: ListRoom
}

export const discover = Effect.fnUntraced(function* (
  session: Session,
  capabilities: Capabilities,
  options: DiscoverOptions
): Effect.fn.Return<Catalogue, RequestError> {
  const { timeoutMs } = options
  const offers = offersOf(capabilities, options.resources && capabilities["resources"] !== undefined)
  const { take, undo } = options.room.begin()
  const none = Effect.succeed(NOTHING)
  let before = Latch.makeUnsafe(true)
  /** Each list waits for the one that was made before it. */
  const nextWay = (ms: number): Way => {
    const way = { session, timeoutMs: ms, take, before, done: Latch.makeUnsafe() }
    before = way.done
    return way
  }
  /** Has half of the time, so that a list that hangs leaves some for the tools. */
  const without = <A>(
    isOffered: boolean,
    method: string,
    read: (way: Way) => Effect.Effect<Listing<A>, RequestError>
  ) => (isOffered ? read(nextWay(timeoutMs / 2)).pipe(optional(method)) : none)
  const uriOf = ({ uri }: ResourceDefinition) => uri
  const lists = [
    // Requested even if the capability is not declared: some servers forget it.
    toolsOf(nextWay(timeoutMs)),
    without(offers.resources, "resources/list", (way) =>
      list(way, "resources/list", "resources", decodeResource("uri"), uriOf)
    ),
    without(offers.resources, "resources/templates/list", (way) =>
      list(way, "resources/templates/list", "resourceTemplates", decodeResource("uriTemplate"), uriOf)
    ),
    without(offers.prompts, "prompts/list", (way) =>
      list(way, "prompts/list", "prompts", decodePrompt, ({ name }) => name)
    )
  ] as const
  const [tools, resources, templates, prompts] = yield* Effect.all(lists, { concurrency: "unbounded" }).pipe(
    Effect.onError(() => Effect.sync(undo))
  )
  return {
    offers,
    tools: tools.values,
    resources: resources.values,
    resourceTemplates: templates.values,
    prompts: prompts.values,
    diagnostics: [tools, resources, templates, prompts].flatMap((listing) => listing.diagnostics),
    ...missingOf({ tools, resources, "resource templates": templates, prompts })
  }
})
