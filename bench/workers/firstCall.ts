/** Lists 200 tools with output schemas, then calls one; tells how long each step held the event loop. */
import { expectText, type BenchClient } from "../lib/client.ts"
import { longestBlock } from "../lib/eventLoop.ts"
import { loadKind, type KindName } from "../lib/kinds.ts"
import { rawServer } from "../lib/launch.ts"

const kind = await loadKind(process.argv[2] as KindName)
let client: BenchClient | undefined
const listing = await longestBlock(async () => (client = await kind.open(rawServer("--tools", "200"))))
const first = await longestBlock(async () => expectText(await client?.call("tool0", { text: "x" }), "done"))
const second = await longestBlock(async () => expectText(await client?.call("tool1", { text: "x" }), "done"))
await client?.close()
process.stdout.write(`${JSON.stringify({ listing, first, second })}\n`)
