/** All nodes of a fleet as one gateway: their servers and calls in the tables of `status` and `top`, each with its node. Pure. */
import { isPersons, nameWith } from "../../../schemas/connection/Isolation.ts"
import type { ServerStatus } from "../../../schemas/connection/ServerState.ts"
import type { FiguresValue, OwnServerValue } from "../../../schemas/control/FiguresValue.ts"
import { callsByNode, nameAt, serversByNode, type NodesValue } from "../../../schemas/control/NodesValue.ts"

type Own = OwnServerValue & { readonly node: string }

const ownIn = ({ nodes }: NodesValue): ReadonlyArray<Own> =>
  nodes.flatMap(({ name, own = [] }) => own.map((one) => ({ ...one, node: name })))

/** What runs for one person alone; everything without one. */
export const ownOf = <A extends Pick<OwnServerValue, "whose">>(
  own: ReadonlyArray<A>,
  person: string | undefined
): ReadonlyArray<A> => (person === undefined ? own : own.filter(({ whose }) => isPersons(whose, person)))

/** The same at each node, without the servers that people share. */
export const nodesOf = (value: NodesValue, person: string | undefined): NodesValue =>
  person === undefined
    ? value
    : {
        ...value,
        nodes: value.nodes.map(({ own, ...node }) => ({
          ...node,
          servers: {},
          ...(own === undefined ? {} : { own: ownOf(own, person) })
        }))
      }

/** Why there is nothing to show. */
export const nothingOf = (person: string): string => `nothing runs for '${person}' alone`

/** By the names of a table: `files @ node-1`, `files (client ada) @ node-1`. */
export const statusesIn = (value: NodesValue): Readonly<Record<string, ServerStatus>> =>
  Object.fromEntries([
    ...serversByNode(value).map(({ figures, node, server }) => [nameAt(server, node), figures.status] as const),
    ...ownIn(value).map(({ node, server, status, whose }) => [nameAt(nameWith(server, whose), node), status] as const)
  ])

export interface Look {
  readonly figures: FiguresValue
  readonly own: ReadonlyArray<OwnServerValue>
}

/** The same for `top`, also with nodes that call what lives elsewhere. */
export const lookIn = (value: NodesValue): Look => ({
  figures: Object.fromEntries(callsByNode(value).map(({ figures, node, server }) => [nameAt(server, node), figures])),
  own: ownIn(value).map(({ node, whose, ...one }) => ({ ...one, whose: nameAt(whose, node) }))
})

/** Each node that did not say what runs there. */
export const silentIn = ({ nodes }: NodesValue): ReadonlyArray<string> =>
  nodes.flatMap(({ name, silent }) => (silent === undefined ? [] : [silentWords(name, silent)]))

export const silentWords = (node: string, detail: string): string =>
  `what runs at node '${node}' is not known: ${detail}`
