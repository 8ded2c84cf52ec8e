/** Small calls with telemetry left out, and with telemetry that the configuration leaves off, in turns. */
import { CALLS, ROUNDS, TEXT } from "../cases/call.ts"
import { OFF, OUT } from "../cases/telemetry.ts"
import { rawServer } from "../lib/launch.ts"
import { liveClientWith } from "../lib/liveClient.ts"
import { interleave } from "../lib/rounds.ts"

const kinds = [liveClientWith(OUT, {}), liveClientWith(OFF, { telemetry: true })]
const clients = await Promise.all(kinds.map(({ open }) => open(rawServer())))
const samples = await interleave(
  clients.map((client, index) => ({
    name: kinds[index]!.name,
    block: () => client.loop!(CALLS, "echo", { text: TEXT })
  })),
  ROUNDS
)
await Promise.all(clients.map((client) => client.close()))
process.stdout.write(`${JSON.stringify(samples)}\n`)
