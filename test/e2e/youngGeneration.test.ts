/** The commands that stay keep their young generation at its size, while they have work for which V8 would have it grow. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { YOUNG_GENERATION_BYTES } from "../../src/schemas/defaults/LargeWork.ts"
import { inFolder } from "../support/folder.ts"
import { rowsInFull } from "../support/full.ts"
import { configFile, start } from "./program.ts"

const WORK = new URL("../fixtures/youngGeneration/onSignal.ts", import.meta.url)
const MIB = 2 ** 20
/** The next size would be twice as large. */
const MOST = 1.5 * YOUNG_GENERATION_BYTES

const COMMANDS = [["start"], ["serve", "--http", "0"], ["mcp-server", "--http", "0"]]

const mostOf = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const config = yield* configFile({ mcp: { servers: { one: { command: "never-started", lazy: true } } } })
  const env = { NODE_OPTIONS: `--import ${WORK.href}`, MCP_LIVE_HOME: yield* inFolder }
  const { signal, until } = yield* start([...args, "--config", config], { env })
  yield* until(/one +stdio|serving MCP at|listening at/)
  signal("SIGUSR2")
  const [, found] = yield* until(/young generation: (\S+) MiB/)
  return Number(found) * MIB
}, Effect.scoped)

describe.skipIf(process.platform === "win32")("the young generation", () => {
  for (const args of rowsInFull(COMMANDS, COMMANDS.slice(0, 1))) {
    it.live(`of ${args[0]} does not grow with what it has to do`, () =>
      Effect.map(mostOf(args), (most) => assert.isBelow(most, MOST))
    )
  }
})
