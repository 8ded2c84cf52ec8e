import { assert, describe, it } from "@effect/vitest"
import { decisiveFiles } from "../../../src/schemas/config/ConfigPlaces.ts"

describe("the files that decide the configuration", () => {
  it("are the named file only", () => {
    assert.deepStrictEqual(decisiveFiles({ file: "/etc/mine.json", isNamed: true, cwd: "/srv/app" }), [
      "/etc/mine.json"
    ])
  })

  it("are the found file and those that would be found before it", () => {
    assert.deepStrictEqual(
      decisiveFiles({ file: "/home/me/.openclaw/openclaw.json", isNamed: false, cwd: "/srv/app" }),
      ["/home/me/.openclaw/openclaw.json", "/srv/app/openclaw.json", "/srv/app/mcp-live.json"]
    )
    assert.lengthOf(decisiveFiles({ file: "/srv/app/openclaw.json", isNamed: false, cwd: "/srv/app" }), 2)
  })
})
