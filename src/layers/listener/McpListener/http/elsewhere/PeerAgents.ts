/** Connections to other nodes, kept for the next request: one agent of `node:http` for each life of a node. */
import * as Effect from "effect/Effect"
import { Agent, type ClientRequestArgs } from "node:http"
import type { Duplex } from "node:stream"
import { LISTENER_PEER_SOCKETS_FREE_MAX } from "../../../../../schemas/defaults/Listener.ts"
import type { NodeId } from "../../../../../schemas/fleet/Node.ts"
import type { Directory } from "../../../../../services/listener/SessionDirectory.ts"
import type { Run } from "../../requests/running.ts"

type Made = (error: Error | null, stream: Duplex) => void

class PeerAgent extends Agent {
  readonly #connect: (made: Made) => void

  constructor(connect: (made: Made) => void) {
    super({ keepAlive: true, maxFreeSockets: LISTENER_PEER_SOCKETS_FREE_MAX })
    this.#connect = connect
  }

  override createConnection(_: ClientRequestArgs, made?: Made): undefined {
    if (made !== undefined) this.#connect(made)
    return undefined
  }
}

export class PeerAgents {
  readonly #run: Run
  readonly #connect: Directory["connect"]
  /** By the name of the node: an earlier life of it answers nobody. */
  readonly #agents = new Map<string, { readonly incarnation: string; readonly agent: Agent }>()

  constructor(run: Run, connect: Directory["connect"]) {
    this.#run = run
    this.#connect = connect
  }

  to(node: NodeId): Agent {
    const known = this.#agents.get(node.name)
    if (known?.incarnation === node.incarnation) return known.agent
    known?.agent.destroy()
    const agent = new PeerAgent((made) => {
      const connected = Effect.match(this.#connect(node), {
        onSuccess: (stream) => made(null, stream),
        onFailure: (error) => made(error, undefined as never)
      })
      this.#run(connected)
    })
    this.#agents.set(node.name, { incarnation: node.incarnation, agent })
    return agent
  }

  /** Ends the connections to a node that is dead: one that froze would not do that itself. */
  cut({ incarnation, name }: NodeId): void {
    const known = this.#agents.get(name)
    if (known?.incarnation !== incarnation) return
    this.#agents.delete(name)
    known.agent.destroy()
  }

  /** Ends all connections. */
  end(): void {
    for (const { agent } of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }
}
