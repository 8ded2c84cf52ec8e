/** The same calls at one, two and three nodes, in turns; each node has a server and a client of its own. */
import { TEXT } from "../cases/call.ts"
import { ALONE, CALLS, IN_FLIGHT, nameOf, NODES, ROUNDS } from "../cases/fleetNodes.ts"
import { expectText } from "../lib/client.ts"
import { connectTo, startNode } from "../lib/fleet.ts"
import { newDatabase, startPostgres } from "../lib/postgres.ts"
import { interleave } from "../lib/rounds.ts"

const database = await newDatabase(await startPostgres(), "nodes")
const servers = NODES.map((n) => `s${n}`)

/** A client that calls the server which lives at its node. */
const clientAt = async (url: string, server: string) => {
  const client = await connectTo(url)
  const call = async () =>
    expectText(await client.callTool({ name: `mcp_${server}_echo`, arguments: { text: TEXT } }), TEXT)
  await call()
  return call
}

const alone = await startNode({ name: "alone", servers })
const atAlone = await clientAt(alone.url, servers[0]!)
const atNodes: Array<typeof atAlone> = []
// The newest node has the fewest servers, so that the next one is started there.
for (const server of servers) {
  const node = await startNode({ name: `node-${server}`, database, servers })
  atNodes.push(await clientAt(node.url, server))
}

/** In all as many calls, and as many in flight, however many nodes there are. */
const block = (calls: ReadonlyArray<typeof atAlone>) => async () => {
  const some = async (_: unknown, i: number) => {
    for (let left = CALLS / IN_FLIGHT; left > 0; left--) await calls[i % calls.length]!()
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, some))
}
const samples = await interleave(
  [
    { name: ALONE, block: block([atAlone]) },
    ...NODES.map((n) => ({ name: nameOf(n), block: block(atNodes.slice(0, n)) }))
  ],
  ROUNDS
)
process.stdout.write(`${JSON.stringify(samples)}\n`)
process.exit(0)
