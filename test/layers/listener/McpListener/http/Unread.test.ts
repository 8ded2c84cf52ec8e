import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import {
  LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES as IN_ALL,
  LISTENER_UNREAD_ANSWERS_MAX_BYTES as EACH
} from "../../../../../src/schemas/defaults/Listener.ts"
import { ClientQuota, makeShares } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"

/** A response of which so much is not read. */
class Answer extends EventEmitter {
  destroyed = false
  writableLength: number
  constructor(bytes: number) {
    super()
    this.writableLength = bytes
  }
  destroy() {
    this.destroyed = true
    this.emit("close")
  }
  read() {
    this.writableLength = 0
    this.emit("drain")
  }
}

const holdersOf = (count: number): ReadonlyArray<ClientQuota> => {
  const shares = makeShares(count)
  return Array.from({ length: count }, () => new ClientQuota(shares()))
}

const wrote = (holder: ClientQuota, bytes: number, isStream = false): Answer => {
  const answer = new Answer(bytes)
  holder.wrote(answer as unknown as ServerResponse, isStream)
  return answer
}

const left = (answers: ReadonlyArray<Answer>): number =>
  answers.reduce((sum, one) => sum + (one.destroyed ? 0 : one.writableLength), 0)

describe("answers that are not read", () => {
  it("are so much of one holder, the last one not counted: then it gets no other", () => {
    const [me] = holdersOf(1)
    const answers = Array.from({ length: 6 }, () => wrote(me!, EACH / 4))
    assert.deepStrictEqual(
      answers.map(({ destroyed }) => destroyed),
      [false, false, false, false, false, true]
    )
    assert.isTrue(me!.isFull)
    answers[0]!.read()
    assert.isFalse(me!.isFull)
  })

  it("give way to those of a holder that has less, the longest waiting first", () => {
    const [me, other] = holdersOf(2)
    const [first, second] = [wrote(me!, IN_ALL / 3), wrote(me!, IN_ALL / 3)]
    first.read()
    first.writableLength = IN_ALL / 3
    me!.wrote(first as unknown as ServerResponse, false)
    assert.isFalse(wrote(other!, IN_ALL / 2).destroyed)
    assert.isTrue(second.destroyed)
    assert.isFalse(first.destroyed)
  })

  it("of others do not give way to those of a holder that has more than its part already", () => {
    const [me, other] = holdersOf(4)
    const theirs = wrote(other!, IN_ALL / 2)
    const mine = Array.from({ length: 3 }, () => wrote(me!, IN_ALL / 5))
    assert.isTrue(mine[2]!.destroyed)
    assert.isFalse(theirs.destroyed)
  })

  it("of all holders take little more than their room, however many holders there are", () => {
    const large = 16 * 1024 * 1024
    const answers = holdersOf(64).flatMap((holder) => [wrote(holder, large), wrote(holder, large)])
    assert.isAtMost(left(answers), IN_ALL + large)
  })

  it("of others are no reason to cut off one that has its part and no more", () => {
    const holders = holdersOf(4)
    const mine = wrote(holders[0]!, IN_ALL / 4)
    const others = holders.slice(1).flatMap((holder) => Array.from({ length: 6 }, () => wrote(holder, IN_ALL / 8)))
    assert.isFalse(mine.destroyed)
    assert.isFalse(holders[0]!.isFull)
    assert.isAtMost(left(others), IN_ALL)
  })

  it("may be one that is larger than all room; a stream may not", () => {
    const [me] = holdersOf(1)
    assert.isFalse(wrote(me!, IN_ALL * 2).destroyed)
    assert.isTrue(me!.isFull)
    const [other] = holdersOf(1)
    assert.isTrue(wrote(other!, EACH + 1, true).destroyed)
  })
})
