import { assert, describe, it } from "@effect/vitest"
import { secretFault } from "../../src/system/secretFiles.ts"

const me = process.getuid?.() ?? 0
const ROOT = 0

describe.skipIf(process.platform === "win32")("a file with a secret", () => {
  it("must be readable by this user only", () => {
    for (const mode of [0o600, 0o400, 0o700]) assert.isUndefined(secretFault("/f", { mode, uid: me }, "yes"))
    for (const mode of [0o644, 0o640, 0o604]) {
      assert.strictEqual(secretFault("/f", { mode, uid: me }, "yes"), "the file can be read by others: chmod 600 /f")
    }
    assert.strictEqual(secretFault("/f", { mode: 0o600, uid: me + 1 }, "yes"), "the file belongs to another user")
  })

  it("must not be writable by others", () => {
    for (const writable of ["yes", "no", "read-only"] as const) {
      for (const uid of [me, ROOT]) {
        assert.include(secretFault("/f", { mode: 0o620, uid }, writable), "can be written by others: chmod 600 /f")
      }
    }
  })

  it("may be readable by others when it is root's and cannot be changed, or on a read-only file system", () => {
    for (const mode of [0o444, 0o440]) assert.isUndefined(secretFault("/f", { mode, uid: ROOT }, "yes"))
    for (const mode of [0o644, 0o640]) {
      assert.isUndefined(secretFault("/f", { mode, uid: ROOT }, "no"))
      for (const uid of [me, ROOT]) assert.isUndefined(secretFault("/f", { mode, uid }, "read-only"))
    }
    assert.include(secretFault("/f", { mode: 0o644, uid: ROOT }, "yes"), "can be read by others")
    assert.include(secretFault("/f", { mode: 0o444, uid: me + 1 }, "no"), "another user")
  })
})
