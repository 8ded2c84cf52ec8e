import { assert, describe, it } from "@effect/vitest"
import { shared } from "../../../src/system/process/survey.ts"

describe("a shared survey of processes", () => {
  const counting = () => {
    const looks: Array<() => void> = []
    const look = shared(() => new Promise<number>((resolve) => looks.push(() => resolve(looks.length))))
    const begun = async (count: number) => {
      while (looks.length < count) await new Promise(setImmediate)
    }
    return { begun, look, looks }
  }

  it("is made once for twenty callers that ask together", async () => {
    const { begun, look, looks } = counting()
    const answers = Promise.all(Array.from({ length: 20 }, look))
    await begun(1)
    looks[0]!()
    assert.deepStrictEqual(new Set(await answers), new Set([1]))
    assert.lengthOf(looks, 1)
  })

  it("is made again, once, for all callers that ask while one is under way", async () => {
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

  it("is made again after one that failed", async () => {
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
