/** Names that say which life of which node gave them: `node.incarnation.random`. None of the three has a dot. */
import type { Fleet } from "../../../services/fleet/Fleet.ts"
import { isSameNode, type NodeId } from "../../../schemas/fleet/Node.ts"

const NAME = /^(?<node>[A-Za-z0-9-]{1,63})\.(?<incarnation>[A-Za-z0-9]{1,64})\.[A-Za-z0-9_.-]{1,256}$/

export const makeNames = (fleet: Pick<Fleet["Service"], "node" | "self">) => {
  const givenBy = (name: string): NodeId | undefined => {
    const found = NAME.exec(name)?.groups
    return found === undefined ? undefined : { name: found["node"]!, incarnation: found["incarnation"]! }
  }
  /** Whether that life goes on, as far as this node knows. */
  const lives = (node: NodeId): boolean => {
    if (isSameNode(node, fleet.self)) return true
    const living = fleet.node(node.name)
    return living !== undefined && isSameNode(living, node)
  }
  return {
    nameOf: (random: string) => `${fleet.self.name}.${fleet.self.incarnation}.${random}`,
    isName: (name: string) => NAME.test(name),
    homeOf: (name: string): NodeId | undefined => {
      const node = givenBy(name)
      return node !== undefined && lives(node) ? node : undefined
    },
    isOwn: (name: string): boolean => {
      const node = givenBy(name)
      return node !== undefined && isSameNode(node, fleet.self)
    },
    lives
  }
}

export type Names = ReturnType<typeof makeNames>
