import { assert, describe, it } from "@effect/vitest"
import { statusOf } from "../../../../src/programs/cli/servers/once.ts"
import { renderFailures } from "../../../../src/schemas/content/Rendering.ts"
import type { ServerStatus } from "../../../../src/schemas/connection/ServerState.ts"

const down: ServerStatus = {
  state: "Backoff",
  transport: "http",
  protocolVersion: null,
  tools: 0,
  resources: 0,
  prompts: 0,
  pid: null,
  connectMs: null,
  restarts: 0,
  lastError: "cannot be reached",
  retryInMs: 1_000
}

describe("what is told of a server that is down", () => {
  it("is when it is tried again only where a running gateway tries it", () => {
    assert.deepStrictEqual(renderFailures(statusOf({ agent: "main" }, { dead: down })), ["dead: cannot be reached"])
    assert.deepStrictEqual(renderFailures(statusOf({ agent: "main", configuration: {} }, { dead: down })), [
      "dead: cannot be reached; it is tried again in 1 s"
    ])
  })
})
