/** Plays scenarios of the catalogue at one door; the program is started once for all of them. */
import { afterAll, beforeAll, describe, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { CATALOGUE } from "../../fixtures/hostile-client/catalogue.ts"
import type { Door, Scenario } from "../../fixtures/hostile-client/scenario.ts"
import { isFull, some } from "../../support/full.ts"
import { play, type Site } from "./play.ts"

/** Of `npm test`. */
const ONE_IN = 24

/** What takes long only because it is so large; the same in smaller sizes is beside it in the catalogue. */
const isLarge = ({ name }: Scenario): boolean => /as long as it may be|\b\d{2,} ?MiB/.test(name)

export const playAt = (door: Door, open: Effect.Effect<Site, never, Scope.Scope>): void => {
  const scope = Scope.makeUnsafe()
  let site: Site

  beforeAll(async () => {
    site = await Effect.runPromise(Scope.provide(open, scope))
  })

  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  for (const [family, scenarios] of Object.entries(CATALOGUE)) {
    const here = some(
      scenarios.filter((scenario) => scenario.over.includes(door) && (isFull || !isLarge(scenario))),
      ONE_IN
    )
    if (here.length === 0) continue
    describe(`${door}: ${family}`, () => {
      for (const scenario of here) it(scenario.name, () => play(site, scenario))
    })
  }
}
