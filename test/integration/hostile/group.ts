/**
 * Plays one class of the catalogue; each has a file of its own, so that they are played beside each other where there are
 * cores for it.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll } from "vitest"
import type { Listed } from "../../fixtures/hostile-server/catalogue.ts"
import { hostile } from "../../fixtures/servers.ts"
import { over, type Expectation, type Expectations } from "./expectation.ts"
import { isFull, some } from "../../support/full.ts"
import { play, SECRET, SECRET_VARIABLE } from "./play.ts"

const catalogue = (): ReadonlyArray<Listed> => {
  const { args, command } = hostile("--list", "--json")
  return JSON.parse(execFileSync(command, args, { encoding: "utf8" })) as ReadonlyArray<Listed>
}

/** The classes that there are. */
export const classesOf = (): ReadonlyArray<string> => [...new Set(catalogue().map((row) => row.class))]

/** Of `npm test`. */
const ONE_IN = 16

const isAlone = ({ alone, roomMb }: Expectation) => alone === true || roomMb !== undefined

const title = ({ drive, id, name }: Listed, transport: string, { limit }: Expectation) =>
  `${name} over ${transport} (${id.join(", ")}): ${drive.outcome}${limit === undefined ? "" : `; limit: ${limit}`}`

export const playClass = (group: string, expectations: Expectations): void => {
  const rows = catalogue().filter((row) => row.class === group)
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

  it(`${group}: every row has an expectation, and there is no other`, () => {
    assert.sameMembers(
      Object.keys(expectations),
      rows.map(({ name }) => name)
    )
  })

  const plays = rows.flatMap((row) => {
    const expectation = expectations[row.name]
    return expectation === undefined ? [] : row.transports.map((transport) => ({ row, transport, expectation }))
  })
  const perform = (chosen: Readonly<typeof plays>) => {
    for (const { expectation, row, transport } of chosen) {
      const name = title(row, transport, over(expectation, transport))
      it.live(name, () => play(stage, row, transport, expectation))
    }
  }
  const alone = ({ expectation, transport }: (typeof plays)[number]) => isAlone(over(expectation, transport))
  const together = some(
    plays.filter((each) => !alone(each)),
    ONE_IN
  )
  const apart = isFull ? plays.filter(alone) : []
  if (together.length > 0) describe.concurrent(group, () => perform(together))
  // What is measured, or takes the whole of a core, is played by itself.
  if (apart.length > 0) describe(`${group}, without measure`, () => perform(apart))
}
