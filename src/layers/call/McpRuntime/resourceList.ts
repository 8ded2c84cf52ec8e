/** The resources of one agent, per server, as its filters allow; computed again when a list changes. */
import type { Catalogue, ResourceDefinition } from "../../../schemas/connection/Catalogue.ts"
import type { InTurns } from "../../../schemas/data/InTurns.ts"
import { WATCHED_RESOURCES_MAX } from "../../../schemas/defaults/HostRequests.ts"
import type { AgentResource, AgentResourceTemplate } from "../../../schemas/content/Resource.ts"
import { makeUriFilter, mayComeFrom, type UriFilter } from "../../../schemas/content/ResourceUri.ts"
import type { ResourceBridge } from "../../../services/content/ResourceBridge.ts"
import { memoOf } from "../../../schemas/data/Memo.ts"
import type { Decision } from "../../../services/call/ToolPolicy.ts"
import { convertOnce, type ConvertOptions } from "./definitions.ts"
import type { AgentServer } from "./AgentServer.ts"
import { ofSameParts } from "./sameParts.ts"

export interface ListedResource {
  readonly definition: ResourceDefinition
  readonly resource: AgentResource
}

/** The resources of one server. */
export interface ServerResources {
  readonly server: AgentServer
  readonly filter: UriFilter
  readonly resources: ReadonlyArray<ListedResource>
  readonly templates: ReadonlyArray<AgentResourceTemplate>
  /** Whether it has resources at all, listed or not; `undefined` while unknown. */
  readonly isOffered: boolean | undefined
  readonly announcesChanges: boolean
  /** The URIs for which the server can announce changes. */
  readonly watched: ReadonlyArray<string>
  /** Finds a resource by its URI, as shown or as the server wrote it. */
  readonly find: (uri: string) => ListedResource | undefined
  /** Why a resource with this URI is neither listed nor read: because of findings in its definition. */
  readonly withholds: (uri: string) => Decision | undefined
  /** Whether one of its templates may have made the URI. In turns: servers choose the templates, and clients the URI. */
  readonly mayMake: (uri: string) => InTurns<boolean>
}

const NOTHING: ReadonlyArray<never> = []

/** The current resources of a server; `undefined` if they are not wanted. The same object until its list changes. */
export const makeResourcesOf = (
  bridge: ResourceBridge["Service"],
  options: ConvertOptions
): ((server: AgentServer) => ServerResources | undefined) => {
  const { secrets } = options
  const toResource = convertOnce(options, (server, definition: ResourceDefinition) => {
    const { agentResource, findings } = bridge.toAgentResource(server, definition)
    return [`resource ${agentResource.uri}`, agentResource, findings]
  })
  const toTemplate = convertOnce(options, (server, definition: ResourceDefinition) => {
    const { agentTemplate, findings } = bridge.toAgentTemplate(server, definition)
    return [`template ${agentTemplate.uriTemplate}`, agentTemplate, findings]
  })

  const compute = (server: AgentServer, filter: UriFilter, catalogue: Catalogue | undefined): ServerResources => {
    const madeFrom: Array<string> = []
    const shownTemplates: Array<AgentResourceTemplate> = []
    for (const definition of catalogue?.resourceTemplates ?? NOTHING) {
      if (!filter.admitsTemplate(definition.uri)) continue
      const { shown, withheld } = toTemplate(server, definition)
      if (withheld !== undefined) continue
      madeFrom.push(definition.uri)
      shownTemplates.push(shown)
    }
    const listed: Array<ListedResource> = []
    const withheldUris = new Map<string, Decision>()
    for (const definition of catalogue?.resources ?? NOTHING) {
      if (!filter.admits(definition.uri)) continue
      const { shown, withheld } = toResource(server, definition)
      if (withheld === undefined) listed.push({ definition, resource: shown })
      else for (const uri of [definition.uri, shown.uri]) withheldUris.set(uri, withheld)
    }
    const announcesChanges = catalogue?.offers.subscriptions === true
    const byUri = new Map<string, ListedResource>()
    for (const one of listed.toReversed()) byUri.set(one.resource.uri, one)
    for (const one of listed) byUri.set(one.definition.uri, one)
    return {
      server,
      filter,
      resources: listed,
      templates: shownTemplates,
      isOffered: catalogue === undefined ? undefined : offers(catalogue),
      announcesChanges,
      watched: announcesChanges ? listed.slice(0, WATCHED_RESOURCES_MAX).map(({ definition }) => definition.uri) : [],
      find: (uri) => byUri.get(uri),
      withholds: (uri) => (byUri.has(uri) ? undefined : withheldUris.get(uri)),
      *mayMake(uri) {
        for (const template of madeFrom) {
          if (mayComeFrom(template, uri)) return filter.admits(uri)
          yield
        }
        return false
      }
    }
  }

  const presentOf = memoOf((server: AgentServer) => {
    const filter = makeUriFilter(server.config.resourceFilter)
    const present = ofSameParts(() => compute(server, filter, server.supervised.snapshot().catalogue))
    return () => present([server.supervised.snapshot().catalogue, secrets()])
  })
  return (server) => (server.config.enabled && server.config.resources ? presentOf(server)() : undefined)
}

const offers = ({ offers, resourceTemplates, resources }: Catalogue) =>
  offers.resources || resources.length > 0 || resourceTemplates.length > 0

/** A failed server offers nothing. */
export const isThere = ({ server }: ServerResources) => server.supervised.snapshot().state._tag !== "Failed"
