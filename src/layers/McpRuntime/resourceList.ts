/** The resources of one agent, per server, as far as its filters let them through: computed anew when a list changes. */
import type { Catalogue, ResourceDefinition } from "../../schemas/Catalogue.ts"
import type { AgentResource, AgentResourceTemplate } from "../../schemas/Resource.ts"
import { makeUriFilter, mayComeFrom, type UriFilter } from "../../schemas/ResourceUri.ts"
import type { ResourceBridge } from "../../services/ResourceBridge.ts"
import type { AgentServer } from "./view.ts"

export interface ListedResource {
  readonly definition: ResourceDefinition
  readonly resource: AgentResource
}

/** What one server offers. */
export interface ServerResources {
  readonly server: AgentServer
  readonly filter: UriFilter
  readonly resources: ReadonlyArray<ListedResource>
  readonly templates: ReadonlyArray<AgentResourceTemplate>
  /** Whether it has resources at all, listed or not; `undefined` before anybody knows. */
  readonly isOffered: boolean | undefined
  readonly announcesChanges: boolean
  /** By the URI as it is shown and as the server wrote it. */
  readonly find: (uri: string) => ListedResource | undefined
  readonly mayMake: (uri: string) => boolean
}

const NOTHING: ReadonlyArray<never> = []

/** Of the servers whose resources are wanted; the same objects until a list changes. */
export const makeResourceList = (
  servers: ReadonlyArray<AgentServer>,
  bridge: ResourceBridge["Service"]
): (() => ReadonlyArray<ServerResources>) => {
  // Definitions are kept by identity, with what became of them: cleaning a long list costs.
  const converted = new WeakMap<ResourceDefinition, AgentResource>()

  const convert = (server: string, definition: ResourceDefinition): AgentResource => {
    const known = converted.get(definition)
    if (known !== undefined) return known
    const fresh = bridge.toAgentResource(server, definition)
    converted.set(definition, fresh)
    return fresh
  }

  const compute = (server: AgentServer, filter: UriFilter, catalogue: Catalogue | undefined): ServerResources => {
    const { name } = server.config
    const templates = (catalogue?.resourceTemplates ?? NOTHING).filter(({ uri }) => filter.admitsTemplate(uri))
    const resources = (catalogue?.resources ?? NOTHING)
      .filter(({ uri }) => filter.admits(uri))
      .map((definition) => ({ definition, resource: convert(name, definition) }))
    const byUri = new Map<string, ListedResource>()
    for (const listed of resources.toReversed()) byUri.set(listed.resource.uri, listed)
    for (const listed of resources) byUri.set(listed.definition.uri, listed)
    return {
      server,
      filter,
      resources,
      templates: templates.map((definition) => bridge.toAgentTemplate(name, definition)),
      isOffered: catalogue === undefined ? undefined : offers(catalogue),
      announcesChanges: catalogue?.offers.subscriptions === true,
      find: (uri) => byUri.get(uri),
      mayMake: (uri) => templates.some((template) => mayComeFrom(template.uri, uri)) && filter.admits(uri)
    }
  }

  const sources = servers
    .filter(({ config }) => config.enabled && config.resources)
    .map((server) => {
      const filter = makeUriFilter(server.config.resourceFilter)
      let basis: Catalogue | undefined
      let present = compute(server, filter, basis)
      return () => {
        const { catalogue } = server.supervised.snapshot()
        if (catalogue !== basis) {
          basis = catalogue
          present = compute(server, filter, basis)
        }
        return present
      }
    })
  return () => sources.map((present) => present())
}

const offers = ({ offers, resourceTemplates, resources }: Catalogue) =>
  offers.resources || resources.length > 0 || resourceTemplates.length > 0

/** A server that was given up offers nothing. */
export const isThere = ({ server }: ServerResources) => server.supervised.snapshot().state._tag !== "Failed"
