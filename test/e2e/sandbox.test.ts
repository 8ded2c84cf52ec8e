import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { findBubblewrap } from "../../src/layers/connection/ServerConnector/sandbox/bubblewrap.ts"
import { shell } from "../fixtures/servers.ts"
import { configFile, start } from "./program.ts"

const isHere = await Effect.runPromise(Effect.isSuccess(findBubblewrap()))

/** What the program says of a server that may write in `place`, a directory beside the configuration or around it. */
const said = Effect.fnUntraced(function* (place: string, named: boolean, env: Record<string, string> = {}) {
  const server = { ...shell(), sandbox: { filesystem: { write: [place] } } }
  const config = yield* configFile({ mcp: { servers: { fs: server } } })
  const home = dirname(config)
  for (const name of ["work", "data"]) mkdirSync(join(home, name))
  const program = yield* start(named ? ["start", "--config", config] : ["start"], {
    cwd: named ? join(home, "work") : home,
    env: { MCP_LIVE_CONFIG: "", MCP_LIVE_HOME: join(home, "data"), ...env }
  })
  const [line] = yield* program.until(/\[fs\] ready|its sandbox cannot be made: [^\n]+/)
  return line
})

describe.skipIf(!isHere)("mcp-live: a server in a sandbox cannot change what holds it", () => {
  for (const named of [true, false]) {
    it.live(`the configuration that ${named ? "was named" : "was found"}`, () =>
      Effect.gen(function* () {
        assert.match(yield* said(".", named), /could write .*openclaw\.json/)
        assert.match(yield* said("work", named), /ready/)
      }).pipe(Effect.scoped)
    )
  }

  it.live("the data directory of this gateway", () =>
    Effect.gen(function* () {
      assert.match(yield* said("data", true), /could write .*data, where the gateway keeps tokens/)
    }).pipe(Effect.scoped)
  )
})
