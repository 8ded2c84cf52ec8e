/**
 * Everything that the hostile server can play, against the runtime: its catalogue is the table of what is played, and
 * test/integration/hostile/expectations the table of what is required of each. Every class has a file there that plays it.
 *
 * Of every play it is required besides that the honest server in the same runtime answers before, after and at last; that
 * nothing of the hostile one, process or connection, is left when it has been closed; that nothing is thrown past us; and
 * that nothing hostile is left in anything that came out (test/integration/hostile/search.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { classesOf } from "./hostile/group.ts"

const folder = new URL("./hostile/", import.meta.url)
const namesIn = (path: string, ending: string) =>
  readdirSync(new URL(path, folder)).flatMap((name) => (name.endsWith(ending) ? [name.slice(0, -ending.length)] : []))

describe("the catalogue", () => {
  it("has no class that is not played", () => {
    const expected = namesIn("expectations/", ".ts")
    assert.lengthOf(expected, classesOf().length)
    assert.sameMembers(namesIn("./", ".test.ts"), expected)
  })
})
