import { assert, describe, it } from "@effect/vitest"
import * as McpError from "../../../../../src/McpError.ts"
import { forSession } from "../../../../../src/layers/connection/ServerConnector/rpc/sessionHints.ts"

const server = "fs"

describe("forSession", () => {
  const errors: ReadonlyArray<McpError.ConnectError | McpError.RequestError> = [
    new McpError.ConnectTimeout({ server, timeoutMs: 5, phase: "initialize", stderr: "slow" }),
    new McpError.CallTimeout({ server, method: "tools/call", timeoutMs: 5, deadline: "idle", rubbish: true }),
    new McpError.AddressBlocked({ server, host: null, leadsTo: "a private address", openable: true }),
    new McpError.InvalidLaunch({ server, detail: 'its url is http://: with "allowPrivate": true it may be' }),
    new McpError.AuthRequired({ server, status: 401 }),
    new McpError.AuthRequired({ server, status: 403 })
  ]
  for (const error of errors) {
    it(`${error._tag}: does not mention keys of a server's configuration`, () => {
      const given = forSession(error)
      assert.strictEqual(given._tag, error._tag)
      assert.notMatch(given.message, /"timeout"|"toolTimeout"|"allowPrivate"|in the config/)
      assert.notStrictEqual(given.message, error.message)
      assert.match(error.message, /"timeout"|"toolTimeout"|"allowPrivate"|in the config/)
    })
  }

  it("mentions acp.allowPrivate for a blocked address", () => {
    assert.include(forSession(errors[2]!).message, 'set "acp.allowPrivate": true if that is meant')
  })

  it("mentions acp.toolTimeout for a silent call", () => {
    assert.include(forSession(errors[1]!).message, '"acp.toolTimeout"')
  })

  it("leaves other errors unchanged", () => {
    const exited = new McpError.ServerExited({ server, code: 3, signal: null, stderr: "" })
    assert.strictEqual(forSession(exited), exited)
  })
})
