/** The resources of one agent, per server, as its filters allow; computed again when a list changes. */
import type { Catalogue, ResourceDefinition } from "../../../schemas/connection/Catalogue.ts"
import { WATCHED_RESOURCES_MAX } from "../../../schemas/defaults/HostRequests.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import type { AgentResource, AgentResourceTemplate } from "../../../schemas/content/Resource.ts"
import { makeUriFilter, mayComeFrom, type UriFilter } from "../../../schemas/content/ResourceUri.ts"
import type { ResourceBridge } from "../../../services/content/ResourceBridge.ts"
import type { Decision } from "../../../services/call/ToolPolicy.ts"
import { withholding, type Report } from "./definitions.ts"
import type { AgentServer } from "./AgentServer.ts"

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
  readonly mayMake: (uri: string) => boolean
}

const NOTHING: ReadonlyArray<never> = []

interface Converted<A> {
  readonly version: number
  readonly shown: A
  readonly withheld: Decision | undefined
}

/** For each server whose resources are wanted: its current resources, the same object until its list changes. */
export const makeResourceList = (
  servers: ReadonlyArray<AgentServer>,
  bridge: ResourceBridge["Service"],
  report: Report,
  /** The version of the secrets that definitions were cleaned with. */
  secrets: () => number
): ReadonlyArray<() => ServerResources> => {
  // Cached by definition object, because cleaning a long list is expensive.
  const resources = new WeakMap<ResourceDefinition, Converted<AgentResource>>()
  const templates = new WeakMap<ResourceDefinition, Converted<AgentResourceTemplate>>()

  const convertWith =
    <A>(
      converted: WeakMap<ResourceDefinition, Converted<A>>,
      convert: (server: string, definition: ResourceDefinition) => readonly [subject: string, A, ReadonlyArray<Finding>]
    ) =>
    ({ config: { content, name } }: AgentServer, definition: ResourceDefinition): Converted<A> => {
      const known = converted.get(definition)
      if (known?.version === secrets()) return known
      const [subject, shown, findings] = convert(name, definition)
      if (known === undefined) report(name, subject, findings)
      const fresh = { shown, withheld: withholding(content, findings), version: secrets() }
      converted.set(definition, fresh)
      return fresh
    }

  const toResource = convertWith(resources, (server, definition) => {
    const { agentResource, findings } = bridge.toAgentResource(server, definition)
    return [`resource ${agentResource.uri}`, agentResource, findings]
  })
  const toTemplate = convertWith(templates, (server, definition) => {
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
      mayMake: (uri) => madeFrom.some((template) => mayComeFrom(template, uri)) && filter.admits(uri)
    }
  }

  return servers
    .filter(({ config }) => config.enabled && config.resources)
    .map((server) => {
      const filter = makeUriFilter(server.config.resourceFilter)
      let basis: Catalogue | undefined
      let cleanedFor = secrets()
      let present = compute(server, filter, basis)
      return () => {
        const { catalogue } = server.supervised.snapshot()
        if (catalogue !== basis || cleanedFor !== secrets()) {
          basis = catalogue
          cleanedFor = secrets()
          present = compute(server, filter, basis)
        }
        return present
      }
    })
}

const offers = ({ offers, resourceTemplates, resources }: Catalogue) =>
  offers.resources || resources.length > 0 || resourceTemplates.length > 0

/** A failed server offers nothing. */
export const isThere = ({ server }: ServerResources) => server.supervised.snapshot().state._tag !== "Failed"
