import { assert, describe, it } from "@effect/vitest"
import { decisiveFiles } from "../../src/schemas/ConfigPlaces.ts"

describe("files that decide what the configuration is", () => {
  it("one that was named, and no other", () => {
    assert.deepStrictEqual(decisiveFiles({ file: "/etc/mine.json", isNamed: true, cwd: "/work" }), ["/etc/mine.json"])
  })

  it("one that was found, and those that would be found before it", () => {
    assert.deepStrictEqual(decisiveFiles({ file: "/home/me/.openclaw/openclaw.json", isNamed: false, cwd: "/work" }), [
      "/home/me/.openclaw/openclaw.json",
      "/work/openclaw.json",
      "/work/mcp-live.json"
    ])
    assert.lengthOf(decisiveFiles({ file: "/work/openclaw.json", isNamed: false, cwd: "/work" }), 2)
  })
})
