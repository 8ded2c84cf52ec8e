/**
 * The resources of one agent: listing, reading, watching, and the block for its context. A URI is sent to a server only if
 * that server's filter allows it, whoever asks; nothing that was read for one agent is kept for another.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { SHOWN_URI_MAX_CHARS, URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { ResourceNotFound, type ResourceError, type ServerUnavailable } from "../../../schemas/call/CallError.ts"
import { ProtocolError } from "../../../schemas/connection/RequestError.ts"
import type { NamingStyle } from "../../../schemas/call/Names.ts"
import type { Budget } from "../../../schemas/connection/ServerConfig.ts"
import { inLine } from "../../../schemas/content/ServerText.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { ResourceBridge } from "../../../services/content/ResourceBridge.ts"
import type { RequestOptions } from "../../../services/connection/ServerConnector.ts"
import type { ToolBridge } from "../../../services/call/ToolBridge.ts"
import type { OwnTool } from "./OwnTool.ts"
import type { ConvertOptions } from "./definitions.ts"
import { bringUp } from "./late.ts"
import { makeResourceContext } from "./resourceContext.ts"
import { isThere, makeResourceList, type ServerResources } from "./resourceList.ts"
import { makeResourceTools } from "./resourceTools.ts"
import { ofSameParts } from "./sameParts.ts"
import type { Guard } from "./secretArguments.ts"
import type { AgentServer } from "./AgentServer.ts"

export interface ResourcesOptions extends ConvertOptions {
  readonly naming: NamingStyle
  readonly servers: ReadonlyArray<AgentServer>
  readonly bridge: ResourceBridge["Service"]
  readonly toolBridge: ToolBridge["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  /** Checks a URI that the server did not list before it is sent. Default: every URI may be sent. */
  readonly guard: Guard
}

export interface Resources extends Pick<
  McpRuntimeShape,
  "resources" | "resourceTemplates" | "readResource" | "resourceContext" | "resourceUpdates"
> {
  /** The current `list_resources` and `read_resource` tools of each server that has resources. */
  readonly ownTools: () => ReadonlyArray<OwnTool>
}

const INVALID_PARAMS = -32602
/** Until 2025-11-25. */
const RESOURCE_NOT_FOUND = -32002

export const makeResources = Effect.fnUntraced(function* ({
  bridge,
  guard,
  naming,
  report,
  sanitizer,
  secrets,
  servers,
  toolBridge
}: ResourcesOptions): Effect.fn.Return<Resources, never, Scope.Scope> {
  const sources = makeResourceList(servers, bridge, { report, secrets })
  const list = () => sources.map((source) => source())
  const present = () => list().filter(isThere)

  // The requested URI may be text of a server that a model repeats.
  const missing = (uri: string, detail: string) =>
    new ResourceNotFound({ uri: inLine(uri, sanitizer.label, SHOWN_URI_MAX_CHARS), detail })
  const notFound = (uri: string, detail: string) => Effect.fail(missing(uri, detail))
  const shownServer = (server: unknown) => (typeof server === "string" ? inLine(server, sanitizer.label) : "?")

  // ---- reading -----------------------------------------------------------------------------------------------------

  /** The raw result of one server. */
  const request = (
    source: ServerResources,
    given: string,
    options: RequestOptions
  ): Effect.Effect<unknown, ResourceError> => {
    const { config, supervised } = source.server
    // The caller has the cleaned URI; the server needs its own.
    const listed = source.find(given)
    const uri = listed?.definition.uri ?? given
    if (uri.length > URI_MAX_CHARS) return notFound(given, `a URI has at most ${URI_MAX_CHARS} characters`)
    if (!source.filter.admits(uri)) {
      return notFound(given, `the resourceFilter of MCP server '${config.name}' does not let it through`)
    }
    const withheld = source.withholds(uri)
    if (withheld !== undefined) return notFound(given, `it is not allowed here (${withheld.rule})`)
    // A listed URI belongs to the server, and the error may show it masked.
    const asked = Effect.mapError(
      supervised.use((connection) => connection.request("resources/read", { uri }, options)),
      (error) =>
        error._tag === "ProtocolError" && (error.code === INVALID_PARAMS || error.code === RESOURCE_NOT_FOUND)
          ? missing(given, `MCP server '${config.name}' does not know it`)
          : error
    )
    return listed === undefined ? Effect.andThen(guard(config, uri, uri), asked) : asked
  }

  const read = Effect.fnUntraced(function* (source: ServerResources, uri: string, budget: Budget) {
    const { content, name: server } = source.server.config
    const raw = yield* request(source, uri, source.server.requestOptions)
    const reading = bridge.toReading(raw, { server, uri, content }, budget)
    return (
      reading ??
      (yield* new ProtocolError({
        server,
        code: null,
        detail: "it answered resources/read with no contents",
        isOurs: true
      }))
    )
  })

  /** The one server that may have it. */
  const choose = (uri: string, why: ServerUnavailable | undefined) => {
    const sources = present().filter(({ isOffered }) => isOffered === true)
    const listing = sources.filter(({ find }) => find(uri) !== undefined)
    const making = listing.length > 0 ? listing : sources.filter(({ mayMake }) => mayMake(uri))
    if (making.length === 1) return Effect.succeed(making[0]!)
    if (making.length > 1) return notFound(uri, `more than one server may have it, name one of ${namesOf(making)}`)
    if (sources.length === 1) return Effect.succeed(sources[0]!)
    if (sources.length > 1)
      return notFound(uri, `no server lists it, name one of ${namesOf(sources)} to ask it all the same`)
    return why === undefined ? notFound(uri, "no server has resources") : Effect.fail(why)
  }

  const isClaimed = (uri: string) => present().some((source) => source.find(uri) !== undefined || source.mayMake(uri))

  const sourceOf = Effect.fnUntraced(function* (uri: string, server: string | undefined) {
    if (uri.length > URI_MAX_CHARS) return yield* notFound(uri, `a URI has at most ${URI_MAX_CHARS} characters`)
    if (server === undefined) {
      return yield* choose(uri, isClaimed(uri) ? undefined : yield* bringUp(list().map((source) => source.server)))
    }
    const named = list().find((source) => source.server.config.name === server)
    // A server whose lists are still unknown may have resources: it is started and asked.
    if (named !== undefined && named.isOffered !== false) return named
    const others = list().filter(({ isOffered }) => isOffered !== false)
    const instead = others.length === 0 ? "no server has any" : `there are ${namesOf(others)}`
    return yield* notFound(uri, `there is no MCP server '${shownServer(server)}' with resources, ${instead}`)
  })

  const context = yield* makeResourceContext({ list, bridge, read })

  // ---- changes -----------------------------------------------------------------------------------------------------

  /** Emits while the stream is consumed: listed resources are watched, and changes below them count. */
  const updatesOf = (source: () => ServerResources) => {
    const { config, supervised } = source().server
    const { name } = config
    const watching = supervised.changes.pipe(
      Stream.map(() => source().watched),
      Stream.changesWith(
        (some, others) =>
          some === others || (some.length === others.length && some.every((uri, i) => uri === others[i]))
      ),
      Stream.switchMap((uris) =>
        uris.length === 0
          ? Stream.never
          : Stream.fromEffectDrain(Effect.scoped(Effect.andThen(supervised.watchResources(uris), Effect.never)))
      )
    )
    const told = supervised.resourceUpdates.pipe(
      Stream.filter((uri) => {
        const { filter, find, watched } = source()
        return find(uri) !== undefined || (watched.some((own) => uri.startsWith(own)) && filter.admits(uri))
      }),
      Stream.map((uri) => ({ server: name, uri: source().find(uri)?.resource.uri ?? shownUri(name, uri) }))
    )
    return Stream.merge(told, watching)
  }

  /** The URI as it would be listed. */
  const shownUri = (server: string, uri: string): string => {
    const unknown = { title: undefined, description: "", mimeType: undefined, size: undefined }
    return bridge.toAgentResource(server, { uri, name: uri, ...unknown }).agentResource.uri
  }

  const allResources = ofSameParts((parts: ReadonlyArray<ServerResources>) =>
    parts.flatMap(({ resources }) => resources.map(({ resource }) => resource))
  )
  const allTemplates = ofSameParts((parts: ReadonlyArray<ServerResources>) =>
    parts.flatMap(({ templates }) => templates)
  )

  return {
    resources: Effect.sync(() => allResources(present())),
    resourceTemplates: Effect.sync(() => allTemplates(present())),
    readResource: Effect.fn("McpRuntime.readResource")(function* (uri: string, server?: string) {
      // Untyped programs call this, too.
      if (typeof uri !== "string") return yield* notFound("", "a URI is a text")
      const source = yield* sourceOf(uri, server ?? undefined)
      return yield* read(source, uri, source.server.config.budget)
    }),
    resourceContext: context.text,
    resourceUpdates: Stream.suspend(() => Stream.mergeAll(sources.map(updatesOf), { concurrency: "unbounded" })),
    ownTools: makeResourceTools({
      naming,
      prefixes: servers.map(({ config }) => config.toolPrefix),
      list,
      bridge: toolBridge,
      read: request
    })
  }
})

const namesOf = (sources: ReadonlyArray<ServerResources>) =>
  sources.map(({ server }) => `'${server.config.name}'`).join(", ")
