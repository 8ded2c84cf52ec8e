import { assert, describe, it } from "@effect/vitest"
import { makeSharedRoom } from "../../src/system/sharedRoom.ts"

describe("shared room", () => {
  it("is taken up to the bound of each holder, and given back", () => {
    const share = makeSharedRoom({ eachMax: 60, inAllMax: 100, holders: 4 })()
    share.take(60)
    assert.isFalse(share.isOver())
    assert.isTrue(share.isOver(1))
    share.take(-30)
    assert.strictEqual(share.taken(), 30)
    assert.isFalse(share.isOver(30))
  })

  it("keeps a part for each holder, whatever the others have taken", () => {
    const shareOf = makeSharedRoom({ eachMax: 100, inAllMax: 100, holders: 4 })
    const [greedy, ...others] = Array.from({ length: 4 }, shareOf)
    greedy!.take(100)
    for (const other of others) {
      assert.isTrue(other.isOver(26))
      assert.isFalse(other.isOver(25))
      other.take(25)
      assert.isFalse(other.isOver())
      assert.isTrue(other.isOver(1))
    }
  })

  it("takes one item above the bound of each when the holder has nothing else", () => {
    const share = makeSharedRoom({ eachMax: 60, inAllMax: 100, holders: 1 })()
    assert.isFalse(share.isOver(100))
    assert.isTrue(share.isOver(101))
    share.take(1)
    assert.isTrue(share.isOver(99))
  })
})
