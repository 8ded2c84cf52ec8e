/** Small calls of the SDK's client over HTTP, in turns: without a fleet, at the node where the server runs, and at another node. */
import { TEXT } from "../cases/call.ts"
import { ALONE, CALLS, FAR, type FleetCalls, IN_FLIGHT, nameOf, NEAR, ROUNDS, SINGLES } from "../cases/fleetCalls.ts"
import { expectText } from "../lib/client.ts"
import { connectTo, ECHO, startNode } from "../lib/fleet.ts"
import { cpuMsOf } from "../lib/machine.ts"
import { newDatabase, startPostgres } from "../lib/postgres.ts"
import { interleave } from "../lib/rounds.ts"

const database = await newDatabase(await startPostgres(), "calls")
const alone = await startNode({ name: "alone" })
// The first node that is asked starts the server.
const one = await startNode({ name: "one", database })
const near = await connectTo(one.url)
const call = async (client: typeof near) =>
  expectText(await client.callTool({ name: ECHO, arguments: { text: TEXT } }), TEXT)
await call(near)
const two = await startNode({ name: "two", database })
const variants = [
  { name: ALONE, client: await connectTo(alone.url), nodes: [alone] },
  { name: NEAR, client: near, nodes: [one] },
  { name: FAR, client: await connectTo(two.url), nodes: [one, two] }
].map((variant) => ({ ...variant, times: [] as Array<number>, cpu: [] as Array<number> }))
const cpuOf = (nodes: ReadonlyArray<typeof one>) => nodes.reduce((all, { pid }) => all + cpuMsOf(pid), 0)

const samples = await interleave(
  variants.flatMap(({ client, cpu, name, nodes, times }) =>
    IN_FLIGHT.map((inFlight) => ({
      name: nameOf(name, inFlight),
      block: async () => {
        if (inFlight > 1) {
          const some = async () => {
            for (let left = CALLS / inFlight; left > 0; left--) await call(client)
          }
          await Promise.all(Array.from({ length: inFlight }, some))
          return
        }
        const before = cpuOf(nodes)
        for (let left = SINGLES; left > 0; left--) {
          const begun = performance.now()
          await call(client)
          times.push(performance.now() - begun)
        }
        cpu.push(cpuOf(nodes) - before)
      }
    }))
  ),
  ROUNDS
)
const singles = variants.map(({ cpu, name, times }) => ({
  name,
  times: times.slice(ROUNDS.warmUp * SINGLES),
  cpu: cpu.slice(ROUNDS.warmUp)
}))
process.stdout.write(`${JSON.stringify({ samples, singles } satisfies FleetCalls)}\n`)
process.exit(0)
