import { assert, describe, it } from "@effect/vitest"
import { shared } from "../../../src/system/process/survey.ts"

describe("survey: one look for all who need one", () => {
  const counting = () => {
    const looks: Array<() => void> = []
    const look = shared(() => new Promise<number>((resolve) => looks.push(() => resolve(looks.length))))
    const begun = async (count: number) => {
      while (looks.length < count) await new Promise(setImmediate)
    }
    return { begun, look, looks }
  }

  it("twenty who ask at the same time share one", async () => {
    const { begun, look, looks } = counting()
    const answers = Promise.all(Array.from({ length: 20 }, look))
    await begun(1)
    looks[0]!()
    assert.deepStrictEqual(new Set(await answers), new Set([1]))
    assert.lengthOf(looks, 1)
  })

  it("who asks during a look gets the next one, together with all others", async () => {
    const { begun, look, looks } = counting()
    const first = look()
    await begun(1)
    const later = Promise.all([look(), look(), look()])
    looks[0]!()
    assert.strictEqual(await first, 1)
    await begun(2)
    looks[1]!()
    assert.deepStrictEqual(await later, [2, 2, 2])
    assert.lengthOf(looks, 2)
  })

  it("one that failed keeps nobody from the next", async () => {
    let looks = 0
    const look = shared(async () => {
      if (++looks === 1) throw new Error("no")
      return looks
    })
    await look().then(
      () => assert.fail("it failed"),
      () => {}
    )
    assert.strictEqual(await look(), 2)
  })
})
