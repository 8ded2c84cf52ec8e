/**
 * The resources of an agent for a client. A URI is passed as its server wrote it, and read at the server that lists it. One
 * that several servers list is listed under an address of ours for each, `mcp-live://SERVER/…`; any resource can be read by
 * such an address.
 */
import * as Effect from "effect/Effect"
import type { JsonObject } from "../../schemas/Json.ts"
import { URI_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import type { AgentResource, AgentResourceTemplate } from "../../schemas/Resource.ts"
import { mayComeFrom } from "../../schemas/ResourceUri.ts"
import type { ServeConfig } from "../../schemas/ServeConfig.ts"
import type { Exchange, Handler } from "../../services/McpListener.ts"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"
import { optional, toReadResult, typeOf } from "./content.ts"
import { listed, pageOf, type Listed } from "./pages.ts"
import { invalid, type Refuse } from "./refusals.ts"
import type { ToolParts } from "./tools.ts"

export interface ResourceParts extends Pick<ToolParts, "runtime" | "isTrusted" | "during"> {
  readonly serve: ServeConfig
  readonly refuse: Refuse
}

// ---- addresses -----------------------------------------------------------------------------------------------------

const SCHEME = "mcp-live://"

export const addressOf = (server: string, uri: string): string =>
  `${SCHEME}${encodeURIComponent(server)}/${encodeURIComponent(uri.toWellFormed())}`

export interface Place {
  readonly server: string | undefined
  readonly uri: string
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** What a client means by a URI; one that is none of our addresses is a server's own. */
export const placeOf = (given: string): Place => {
  const plain = { server: undefined, uri: given }
  if (!given.startsWith(SCHEME)) return plain
  const [server, uri, ...rest] = given.slice(SCHEME.length).split("/").map(decoded)
  return server === undefined || server === "" || uri === undefined || rest.length > 0 ? plain : { server, uri }
}

/** URIs that more than one server lists. */
const ambiguous = (resources: ReadonlyArray<AgentResource>): ReadonlySet<string> => {
  const owners = new Map<string, string>()
  const several = new Set<string>()
  for (const { server, uri } of resources) {
    const owner = owners.get(uri)
    if (owner === undefined) owners.set(uri, server)
    else if (owner !== server) several.add(uri)
  }
  return several
}

// ---- lists ---------------------------------------------------------------------------------------------------------

type Entry = Omit<AgentResource, "uri" | "size">

const wordsOf = ({ description, mimeType, name, title }: Entry): JsonObject => ({
  name,
  ...optional("title", title),
  ...(description === "" ? {} : { description }),
  ...optional("mimeType", typeOf(mimeType))
})

const toResource = (resource: AgentResource, several: ReadonlySet<string>): Listed => {
  const { server, size, uri } = resource
  const shown = several.has(uri) ? addressOf(server, uri) : uri
  return listed(`${server}\n${uri}`, { uri: shown, ...wordsOf(resource), ...optional("size", size) })
}

const toTemplate = (template: AgentResourceTemplate): Listed =>
  listed(`${template.server}\n${template.uriTemplate}`, {
    uriTemplate: template.uriTemplate,
    ...wordsOf(template)
  })

export const resourceList = ({ runtime }: Pick<ResourceParts, "runtime">): Effect.Effect<ReadonlyArray<Listed>> =>
  Effect.map(
    Effect.flatMap(runtime, ({ resources }) => resources),
    (resources) => {
      const several = ambiguous(resources)
      return resources.map((resource) => toResource(resource, several))
    }
  )

export const templateList = ({ runtime }: Pick<ResourceParts, "runtime">): Effect.Effect<ReadonlyArray<Listed>> =>
  Effect.map(
    Effect.flatMap(runtime, ({ resourceTemplates }) => resourceTemplates),
    (templates) => templates.map(toTemplate)
  )

export const listOf =
  (name: string, list: Effect.Effect<ReadonlyArray<Listed>>, { serve }: Pick<ResourceParts, "serve">): Handler =>
  ({ cursor }) =>
    Effect.flatMap(list, (all) => pageOf(name, all, cursor, serve.pageSize))

/** As the client knows what a server says has changed. */
export const toldUri = (
  { resources }: McpRuntimeShape,
  { server, uri }: { readonly server: string; readonly uri: string }
): Effect.Effect<string> => Effect.map(resources, (all) => (ambiguous(all).has(uri) ? addressOf(server, uri) : uri))

// ---- reading -------------------------------------------------------------------------------------------------------

/** The one server that is going to be asked, as far as the lists say. */
const serverOf = Effect.fnUntraced(function* (runtime: McpRuntimeShape, { server, uri }: Place) {
  if (server !== undefined) return server
  const listing = new Set((yield* runtime.resources).flatMap((one) => (one.uri === uri ? [one.server] : [])))
  if (listing.size > 0) return listing.size === 1 ? [...listing][0] : undefined
  const templates = yield* runtime.resourceTemplates
  const making = new Set(templates.flatMap((one) => (mayComeFrom(one.uriTemplate, uri) ? [one.server] : [])))
  return making.size === 1 ? [...making][0] : undefined
})

export const readResource = (parts: ResourceParts): Handler =>
  Effect.fnUntraced(function* ({ uri }: JsonObject, exchange: Exchange) {
    if (typeof uri !== "string" || uri === "") return yield* invalid("the uri of a resource is missing")
    // Encoded, a character may take nine.
    if (uri.length > 9 * URI_MAX_CHARS) return yield* invalid(`a URI has at most ${URI_MAX_CHARS} characters`)
    const runtime = yield* parts.runtime
    const place = placeOf(uri)
    const reading = yield* parts.during(
      yield* serverOf(runtime, place),
      exchange,
      runtime.readResource(place.uri, place.server).pipe(Effect.catch(parts.refuse))
    )
    return toReadResult(reading, uri, parts.isTrusted(reading.server))
  })
