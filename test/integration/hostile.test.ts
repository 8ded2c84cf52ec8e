/**
 * Everything that the hostile server can play, against the runtime: its catalogue is the table of what is played, and
 * test/integration/hostile/expectations the table of what is required of each.
 *
 * Of every play it is required besides that the honest server in the same runtime answers before, after and at last; that
 * nothing of the hostile one, process or connection, is left when it has been closed; that nothing is thrown past us; and
 * that nothing hostile is left in anything that came out (test/integration/hostile/search.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll } from "vitest"
import type { Listed } from "../fixtures/hostile-server/catalogue.ts"
import { hostile } from "../fixtures/servers.ts"
import { over, type Expectation, type Expectations } from "./hostile/expectation.ts"
import { HTTP } from "./hostile/expectations/http.ts"
import { PROC } from "./hostile/expectations/processes.ts"
import { RES } from "./hostile/expectations/resources.ts"
import { RPC } from "./hostile/expectations/rpc.ts"
import { SAN } from "./hostile/expectations/texts.ts"
import { SCH } from "./hostile/expectations/schemas.ts"
import { SEC } from "./hostile/expectations/secrets.ts"
import { SIZE } from "./hostile/expectations/sizes.ts"
import { TOOL } from "./hostile/expectations/tools.ts"
import { play, SECRET, SECRET_VARIABLE } from "./hostile/play.ts"

const EXPECTATIONS: Readonly<Record<string, Expectations>> = { SAN, SIZE, RPC, PROC, TOOL, SCH, RES, HTTP, SEC }

const { args, command } = hostile("--list", "--json")
const CATALOGUE = JSON.parse(execFileSync(command, args, { encoding: "utf8" })) as ReadonlyArray<Listed>

const stage = { honest: "", dataDirectory: "" }
let honest: ChildProcess

beforeAll(async () => {
  process.env[SECRET_VARIABLE] = SECRET
  stage.dataDirectory = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
  const { args, command } = hostile("polite", "--transport=http", "--name", "honest", "--lifetime", "3600")
  honest = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
  const [line] = (await once(createInterface({ input: honest.stdout! }), "line")) as [string]
  stage.honest = line
})

afterAll(() => {
  honest.kill("SIGKILL")
  rmSync(stage.dataDirectory, { recursive: true, force: true })
  delete process.env[SECRET_VARIABLE]
})

describe("the catalogue", () => {
  it("has a row of each class, and an expectation for each row and no other", () => {
    for (const [group, expectations] of Object.entries(EXPECTATIONS)) {
      const names = CATALOGUE.filter((row) => row.class === group).map(({ name }) => name)
      assert.sameMembers(Object.keys(expectations), names, group)
    }
    assert.sameMembers([...new Set(CATALOGUE.map((row) => row.class))], Object.keys(EXPECTATIONS))
  })
})

const plays = CATALOGUE.flatMap((row) => {
  const expectation = EXPECTATIONS[row.class]?.[row.name]
  return expectation === undefined ? [] : row.transports.map((transport) => ({ row, transport, expectation }))
})

const isAlone = ({ alone, roomMb }: Expectation) => alone === true || roomMb !== undefined

const title = ({ drive, id, name }: Listed, transport: string, { limit }: Expectation) =>
  `${name} over ${transport} (${id.join(", ")}): ${drive.outcome}${limit === undefined ? "" : `; limit: ${limit}`}`

const perform = (chosen: typeof plays) => {
  for (const { expectation, row, transport } of chosen) {
    it.live(title(row, transport, over(expectation, transport)), () => play(stage, row, transport, expectation), 60_000)
  }
}

for (const group of Object.keys(EXPECTATIONS)) {
  const own = plays.filter(({ row }) => row.class === group)
  const alone = ({ expectation, transport }: (typeof plays)[number]) => isAlone(over(expectation, transport))
  const [together, apart] = [own.filter((each) => !alone(each)), own.filter(alone)]
  if (together.length > 0) describe.concurrent(group, () => perform(together))
  // What is measured, or takes the whole of a core, is played by itself.
  if (apart.length > 0) describe(`${group}, without measure`, () => perform(apart))
}
