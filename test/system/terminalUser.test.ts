import { assert, describe, it } from "@effect/vitest"
import { userInfo } from "node:os"
import { terminalUser } from "../../src/system/terminalUser.ts"

describe("the user at the terminal", () => {
  it("is the user of this process", () => {
    const { uid, username } = terminalUser()
    assert.strictEqual(username, userInfo().username)
    assert.strictEqual(uid, process.platform === "win32" ? undefined : userInfo().uid)
  })
})
