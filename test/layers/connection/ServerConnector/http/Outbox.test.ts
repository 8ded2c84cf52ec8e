import { assert, describe, it } from "@effect/vitest"
import { Outbox } from "../../../../../src/layers/connection/ServerConnector/http/Outbox.ts"
import { ANSWERS_UNTAKEN_MAX, ANSWERS_WAITING_MAX } from "../../../../../src/schemas/defaults/HostRequests.ts"

const MAX = ANSWERS_UNTAKEN_MAX + ANSWERS_WAITING_MAX

/** Answers that are taken when the test says so. */
const server = () => {
  const outbox = new Outbox()
  const started: Array<number> = []
  const taken: Array<() => void> = []
  const answer = (n: number) =>
    outbox.send(() => {
      started.push(n)
      return new Promise((resolve) => taken.push(resolve))
    })
  return { outbox, started, taken, answers: Array.from({ length: MAX + 1 }, (_, n) => answer(n)), answer }
}

/** All that is due has been done. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("Outbox", () => {
  it("so many answers are on their way, so many wait, and no more", () => {
    const { answers, started } = server()
    assert.lengthOf(started, ANSWERS_UNTAKEN_MAX)
    assert.deepStrictEqual([answers.indexOf(false), answers.at(-1)], [MAX, false])
  })

  it("what waits goes out in order, one for each that is taken", async () => {
    const { started, taken } = server()
    taken[5]!()
    taken[0]!()
    await turn()
    assert.deepStrictEqual(started.slice(ANSWERS_UNTAKEN_MAX), [ANSWERS_UNTAKEN_MAX, ANSWERS_UNTAKEN_MAX + 1])
    for (let next = 0; next < taken.length; next++) {
      taken[next]!()
      await turn()
    }
    assert.lengthOf(started, MAX)
  })

  it("nothing that waits is sent when it is closed", async () => {
    const { answer, started, taken, outbox } = server()
    outbox.close()
    for (const take of taken) take()
    await turn()
    assert.lengthOf(started, ANSWERS_UNTAKEN_MAX)
    assert.isTrue(answer(MAX + 1), "it is no trap for what comes later")
  })
})
