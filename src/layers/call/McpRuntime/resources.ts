/**
 * The resources of one agent: listing, reading, watching, and the block for its context. A URI is sent to a server only if
 * that server's filter allows it, whoever asks; nothing that was read for one agent is kept for another.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { SHOWN_URI_MAX_CHARS, URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { ResourceNotFound, type ResourceError } from "../../../schemas/call/CallError.ts"
import { ProtocolError } from "../../../schemas/connection/RequestError.ts"
import type { NamingStyle } from "../../../schemas/call/Names.ts"
import type { Budget } from "../../../schemas/connection/ServerConfig.ts"
import type { InTurns } from "../../../schemas/data/InTurns.ts"
import { inLine } from "../../../schemas/content/ServerText.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { AskOptions, McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { ResourceBridge } from "../../../services/content/ResourceBridge.ts"
import type { RequestOptions } from "../../../services/connection/ServerConnector.ts"
import type { ToolBridge } from "../../../services/call/ToolBridge.ts"
import type { Admit } from "./admit.ts"
import type { OwnTool } from "./OwnTool.ts"
import type { ConvertOptions } from "./definitions.ts"
import { inTurns } from "../../../system/inTurns.ts"
import { bringUp } from "./late.ts"
import { makeResourceContext } from "./resourceContext.ts"
import { isThere, makeResourcesOf, type ServerResources } from "./resourceList.ts"
import { makeResourceTools } from "./resourceTools.ts"
import { ofSameParts } from "./sameParts.ts"
import type { Guard } from "./secretArguments.ts"
import type { Standings } from "./standing.ts"
import type { AgentServer } from "./AgentServer.ts"

export interface ResourcesOptions extends ConvertOptions {
  readonly naming: NamingStyle
  readonly servers: () => ReadonlyArray<AgentServer>
  /** The servers, now and after each change of the configuration. */
  readonly serverChanges: Stream.Stream<ReadonlyArray<AgentServer>>
  readonly bridge: ResourceBridge["Service"]
  readonly toolBridge: ToolBridge["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  /** Checks a URI that the server did not list before it is sent. Default: every URI may be sent. */
  readonly guard: Guard
  readonly standings: Pick<Standings, "refusedAt">
  readonly admit: Admit
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
  admit,
  bridge,
  guard,
  naming,
  report,
  sanitizer,
  secrets,
  serverChanges,
  servers,
  standings,
  toolBridge
}: ResourcesOptions): Effect.fn.Return<Resources, never, Scope.Scope> {
  const resourcesOf = makeResourcesOf(bridge, { report, secrets })
  const list = () => servers().flatMap((server) => resourcesOf(server) ?? [])
  const present = () => list().filter(isThere)
  const refusedAt = ({ server }: ServerResources, asked: AskOptions | undefined) =>
    standings.refusedAt(asked?.caller, server.config.name)

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
    options: RequestOptions,
    client?: AskOptions
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
    const reading = () => supervised.use((connection) => connection.request("resources/read", { uri }, options))
    const asked = Effect.mapError(admit(source.server, client, reading), (error) =>
      error._tag === "ProtocolError" && (error.code === INVALID_PARAMS || error.code === RESOURCE_NOT_FOUND)
        ? missing(given, `MCP server '${config.name}' does not know it`)
        : error
    )
    return listed === undefined ? Effect.andThen(guard(config, uri, uri), asked) : asked
  }

  const read = Effect.fnUntraced(function* (source: ServerResources, uri: string, budget: Budget, client?: AskOptions) {
    const { content, name: server } = source.server.config
    const raw = yield* request(source, uri, source.server.requestOptions, client)
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

  /** The servers that list it, else those whose templates may have made it. */
  const claimants = Effect.fnUntraced(function* (uri: string, sources: ReadonlyArray<ServerResources>) {
    const listing = sources.filter(({ find }) => find(uri) !== undefined)
    return listing.length > 0 ? listing : yield* inTurns(makersOf(uri, sources))
  })

  /** The one server that may have it. Servers whose lists are still unknown are started first, if no other one may have it. */
  const choose = Effect.fnUntraced(function* (uri: string, asked: AskOptions | undefined) {
    const isOpen = (source: ServerResources) => refusedAt(source, asked) === undefined
    const known = yield* claimants(uri, present().filter(isOpen))
    const all = list().filter(isOpen)
    const why = known.length > 0 ? undefined : yield* bringUp(all.map((source) => source.server))
    const sources = present().filter((source) => source.isOffered === true && isOpen(source))
    const making = known.length > 0 ? known : yield* claimants(uri, sources)
    if (making.length === 1) return making[0]!
    if (making.length > 1) {
      return yield* notFound(uri, `more than one server may have it, name one of ${namesOf(making)}`)
    }
    if (sources.length === 1) return sources[0]!
    if (sources.length > 1) {
      return yield* notFound(uri, `no server lists it, name one of ${namesOf(sources)} to ask it all the same`)
    }
    return yield* why ?? notFound(uri, "no server has resources")
  })

  const sourceOf = Effect.fnUntraced(function* (
    uri: string,
    server: string | undefined,
    asked: AskOptions | undefined
  ) {
    if (uri.length > URI_MAX_CHARS) return yield* notFound(uri, `a URI has at most ${URI_MAX_CHARS} characters`)
    if (server === undefined) return yield* choose(uri, asked)
    const named = list().find((source) => source.server.config.name === server)
    const refused = named === undefined ? undefined : refusedAt(named, asked)
    if (refused !== undefined) return yield* notFound(uri, `it is not allowed here (${refused.rule})`)
    // A server whose lists are still unknown may have resources: it is started and asked.
    if (named !== undefined && named.isOffered !== false) return named
    const others = list().filter((source) => source.isOffered !== false && refusedAt(source, asked) === undefined)
    const instead = others.length === 0 ? "no server has any" : `there are ${namesOf(others)}`
    return yield* notFound(uri, `there is no MCP server '${shownServer(server)}' with resources, ${instead}`)
  })

  const context = yield* makeResourceContext({ list, bridge, read })

  // ---- changes -----------------------------------------------------------------------------------------------------

  /** Emits while the stream is consumed: listed resources are watched, and changes below them count. */
  const updatesOf = (server: AgentServer) => {
    const { name } = server.config
    const { supervised } = server
    const source = () => resourcesOf(server)!
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
    readResource: Effect.fn("McpRuntime.readResource")(function* (uri: string, server?: string, asked?: AskOptions) {
      // Untyped programs call this, too.
      if (typeof uri !== "string") return yield* notFound("", "a URI is a text")
      const source = yield* sourceOf(uri, server ?? undefined, asked)
      return yield* read(source, uri, source.server.config.budget, asked)
    }),
    resourceContext: context.text,
    resourceUpdates: Stream.switchMap(serverChanges, (present) =>
      Stream.mergeAll(present.filter((server) => resourcesOf(server) !== undefined).map(updatesOf), {
        concurrency: "unbounded"
      })
    ),
    ownTools: makeResourceTools({
      naming,
      prefixes: () => servers().map(({ config }) => config.toolPrefix),
      list,
      bridge: toolBridge,
      read: request
    })
  }
})

function* makersOf(uri: string, sources: ReadonlyArray<ServerResources>): InTurns<ReadonlyArray<ServerResources>> {
  const found: Array<ServerResources> = []
  for (const source of sources) if (yield* source.mayMake(uri)) found.push(source)
  return found
}

const namesOf = (sources: ReadonlyArray<ServerResources>) =>
  sources.map(({ server }) => `'${server.config.name}'`).join(", ")
