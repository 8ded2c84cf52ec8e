/** acpx, as published, in front of `mcp-live acp`, in front of a real OpenClaw gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { serverPath } from "../fixtures/servers.ts"
import { folder } from "../integration/acp/client.ts"
import { acpx, outcomes, stopReason } from "../interop/acpx/run.ts"

const real = inject("openclaw")

describe.skipIf(real === undefined)("acpx --mcp-config at an OpenClaw gateway", () => {
  it.live("runs a turn that calls a tool of the client's own server", () =>
    Effect.gen(function* () {
      const tokenFile = join(yield* folder, "token")
      writeFileSync(tokenFile, real!.token, { mode: 0o600 })
      const client = yield* acpx(undefined, "--gateway", real!.url, "--token-file", tokenFile)
      const everything = { name: "everything", command: process.execPath, args: [serverPath("everything"), "stdio"] }
      const asked = 'CALL .*mcp__everything__echo {"message":"from acpx"}'
      const run = yield* client.run([everything], "--approve-all", "exec", asked)
      assert.deepStrictEqual(outcomes(run), [{ status: "completed", text: "Echo: from acpx" }])
      assert.strictEqual(stopReason(run), "end_turn")
      assert.strictEqual(run.code, 0)
    })
  )
})
