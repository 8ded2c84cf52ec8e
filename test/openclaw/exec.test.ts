/** Servers that a real OpenClaw gateway starts itself, with `mcp-live exec` in front: their references are values. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { isObject } from "../../src/schemas/data/Json.ts"
import { GatewayLink } from "../../src/services/agent/GatewayLink.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { folder } from "../integration/mcpServer/program.ts"
import { linkLayer } from "../support/openclawLink.ts"
import { patch } from "./patch.ts"

const real = inject("openclaw")
const EXEC = fileURLToPath(new URL("../../src/programs/exec.ts", import.meta.url))
/** OpenClaw shortens what looks like a credential. */
const SECRET = "words of a file"

/** What the model repeats of the answer of a tool. */
const ask = (message: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { operator } = yield* GatewayLink
      const events = yield* operator.events
      const runId = randomUUID()
      yield* operator.request("chat.send", { sessionKey: "agent:main:t-exec", message, idempotencyKey: runId })
      const last = yield* events.pipe(
        Stream.filter(
          ({ event, payload }) =>
            event === "chat" && isObject(payload) && payload["runId"] === runId && payload["state"] === "final"
        ),
        Stream.runHead
      )
      return JSON.stringify(Option.getOrThrow(last).payload)
    })
  )

const argumentsOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1")
  } catch {
    return ""
  }
}

describe.skipIf(real === undefined)("a server of OpenClaw's own behind mcp-live exec", () => {
  it.live("has values in place of its references, and nothing between it and the gateway", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "token")
      writeFileSync(file, `${SECRET}\n`, { mode: 0o600 })
      const parrot = inFixtures("parrot.ts")
      const server = {
        command: process.execPath,
        args: [EXEC, "--", process.execPath, parrot],
        env: { WORDS: `these are {secret://file${file}}!`, OTHER: "secret://env/PLAIN", PLAIN: "as it is" },
        requestTimeoutMs: 60_000
      }
      yield* Effect.acquireRelease(patch({ mcp: { servers: { held: server } } }), () =>
        Effect.ignore(patch({ mcp: { servers: { held: null } } }, "mcp.servers.held.args"))
      )
      assert.include(yield* ask('CALL held__env {"name":"WORDS"}'), `these are ${SECRET}!`)
      assert.include(yield* ask('CALL held__env {"name":"OTHER"}'), "as it is")
      const running = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && argumentsOf(name).includes(parrot))
      const words = running.map(argumentsOf).join("\n")
      assert.include(words, parrot)
      assert.notInclude(words, SECRET)
      // The process that was our program is the server now. (What OpenClaw itself has put before it names us still.)
      assert.isTrue(running.some((pid) => !argumentsOf(pid).includes(EXEC)))
    }).pipe(Effect.scoped, Effect.provide(linkLayer({ url: real?.url ?? "", token: real?.token })))
  )
})
