/**
 * The resources of an agent for a client. A URI is passed on as its server wrote it, and read at the server that lists it. If
 * several servers list the same URI, each gets a URI of ours; any resource can also be read by such a URI.
 */
import * as Effect from "effect/Effect"
import type { JsonObject } from "../../schemas/data/Json.ts"
import { memoOf } from "../../schemas/data/Memo.ts"
import { URI_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import type { AgentResource, AgentResourceTemplate } from "../../schemas/content/Resource.ts"
import { mayComeFrom } from "../../schemas/content/ResourceUri.ts"
import type { ServeConfig } from "../../schemas/listener/ServeConfig.ts"
import type { RequestContext, Handler } from "../../services/listener/McpListener.ts"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { eachInTurns } from "../../system/inTurns.ts"
import { addressOf, isAddress, placeOf, uriOf, type Place } from "./addresses.ts"
import { optional, toReadResult, typeOf } from "./content.ts"
import { listed, pageOf, type Listed } from "./pages.ts"
import { invalid, type Refuse } from "./refusals.ts"
import type { ToolParts } from "./tools.ts"

export interface ResourceParts extends Pick<ToolParts, "accounts" | "caller" | "runtime" | "isTrusted" | "during"> {
  readonly serve: ServeConfig
  readonly refuse: Refuse
}

// ---- addresses -----------------------------------------------------------------------------------------------------

/** The servers that list each URI. A list stays the same array until something changes, and many clients share it. */
const ownersIn = memoOf((resources: ReadonlyArray<AgentResource>): ReadonlyMap<string, ReadonlySet<string>> => {
  const owners = new Map<string, Set<string>>()
  for (const { server, uri } of resources) {
    const known = owners.get(uri)
    if (known === undefined) owners.set(uri, new Set([server]))
    else known.add(server)
  }
  return owners
})

type Listing = Pick<AgentResource, "server" | "uri">

/** Whether another server lists the same URI. */
const isShared = ({ server, uri }: Listing, all: ReadonlyArray<AgentResource>): boolean => {
  const owners = ownersIn(all).get(uri)
  return owners !== undefined && (owners.size > 1 || !owners.has(server))
}

/** The URI of a resource for clients: the plain one only if no other server lists it. */
const shownAs = ({ server, uri }: Listing, isShared: boolean): string =>
  isShared ? addressOf(server, uri) : uriOf(server, uri)

// ---- lists ---------------------------------------------------------------------------------------------------------

type Entry = Omit<AgentResource, "uri" | "size">

const wordsOf = ({ description, mimeType, name, title }: Entry): JsonObject => ({
  name,
  ...optional("title", title),
  ...(description === "" ? {} : { description }),
  ...optional("mimeType", typeOf(mimeType))
})

const toResource = (isShared: boolean) =>
  memoOf((resource: AgentResource): Listed => {
    const { server, size, uri } = resource
    const shown = { uri: shownAs(resource, isShared), ...wordsOf(resource), ...optional("size", size) }
    return listed(`${server}\n${uri}`, shown)
  })

// What is the same is one object for all clients, and in each of their lists: so a list is compared quickly.
const plain = toResource(false)
const addressed = toResource(true)

const toTemplate = memoOf((template: AgentResourceTemplate): Listed =>
  listed(`${template.server}\n${template.uriTemplate}`, { uriTemplate: template.uriTemplate, ...wordsOf(template) })
)

export const resourceList = ({ runtime }: Pick<ResourceParts, "runtime">): Effect.Effect<ReadonlyArray<Listed>> =>
  Effect.map(
    Effect.flatMap(runtime, ({ resources }) => resources),
    (resources) => resources.map((resource) => (isShared(resource, resources) ? addressed(resource) : plain(resource)))
  )

export const templateList = ({ runtime }: Pick<ResourceParts, "runtime">): Effect.Effect<ReadonlyArray<Listed>> =>
  Effect.map(
    Effect.flatMap(runtime, ({ resourceTemplates }) => resourceTemplates),
    // A template that looks like one of our URIs would be read at another server.
    (templates) => templates.filter(({ uriTemplate }) => !isAddress(uriTemplate)).map(toTemplate)
  )

export const listOf =
  (name: string, list: Effect.Effect<ReadonlyArray<Listed>>, { serve }: Pick<ResourceParts, "serve">): Handler =>
  ({ cursor }) =>
    Effect.flatMap(list, (all) => pageOf(name, all, cursor, serve.pageSize))

/** The URI under which the client knows a resource that changed. */
export const toldUri = ({ resources }: McpRuntimeShape, changed: Listing): Effect.Effect<string> =>
  Effect.map(resources, (all) => shownAs(changed, isShared(changed, all)))

// ---- reading -------------------------------------------------------------------------------------------------------

/** The one server that will be asked, as far as the lists tell. */
const serverOf = Effect.fnUntraced(function* (runtime: McpRuntimeShape, { server, uri }: Place) {
  if (server !== undefined) return server
  const listing = new Set((yield* runtime.resources).flatMap((one) => (one.uri === uri ? [one.server] : [])))
  if (listing.size > 0) return listing.size === 1 ? [...listing][0] : undefined
  const making = new Set<string>()
  // Servers choose the templates, and clients the URI.
  yield* eachInTurns(yield* runtime.resourceTemplates, (one) => {
    if (mayComeFrom(one.uriTemplate, uri)) making.add(one.server)
  })
  return making.size === 1 ? [...making][0] : undefined
})

export const readResource = (parts: ResourceParts): Handler =>
  Effect.fnUntraced(function* ({ uri }: JsonObject, exchange: RequestContext) {
    if (typeof uri !== "string" || uri === "") return yield* invalid("the uri of a resource is missing")
    // Encoded, one character may take nine.
    if (uri.length > 9 * URI_MAX_CHARS) return yield* invalid(`a URI has at most ${URI_MAX_CHARS} characters`)
    const runtime = yield* parts.runtime
    const place = placeOf(uri)
    const asked = runtime.readResource(place.uri, place.server, parts)
    const reading = yield* parts.during(
      yield* serverOf(runtime, place),
      exchange,
      (parts.accounts?.connecting(asked, exchange) ?? asked).pipe(Effect.catch(parts.refuse))
    )
    return toReadResult(reading, uri, parts.isTrusted(reading.server))
  })
