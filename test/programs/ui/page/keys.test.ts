/** The keys that work on the whole page. */
import { assert, describe, it } from "@effect/vitest"
import { listenToKeys } from "../../../../src/programs/ui/page/keys.ts"

/** What `listenToKeys` uses of a window. */
const fakeWindow = () => {
  class HTMLElement {}
  const window = new EventTarget()
  const searches: Array<string> = []
  const field = { focus: () => searches.push("search") }
  return Object.assign(window, { HTMLElement, document: { querySelector: () => field }, searches })
}

const setUp = () => {
  const window = fakeWindow()
  const went: Array<string> = []
  listenToKeys(window as never, { go: (view) => went.push(view), help: () => went.push("help") })
  return {
    went,
    searches: window.searches,
    press: (key: string, timeStamp: number) => {
      const event = new Event("keydown", { cancelable: true })
      for (const [name, value] of Object.entries({ key, timeStamp })) Object.defineProperty(event, name, { value })
      window.dispatchEvent(event)
    }
  }
}

describe("the keys of the page", () => {
  it("lead to a view by g and a letter", () => {
    const { press, went } = setUp()
    press("g", 60_000)
    press("t", 61_000)
    press("s", 61_100)
    press("g", 70_000)
    press("c", 72_000)
    assert.deepStrictEqual(went, ["tools"])
  })

  it("are no letters after g in the first moments of the page", () => {
    const { press, searches, went } = setUp()
    press("/", 10)
    press("s", 20)
    press("?", 30)
    assert.deepStrictEqual([searches, went], [["search"], ["help"]])
  })
})
