/** Several clients that send agent requests over HTTP: they share the servers, but neither limits nor restarts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { shell } from "../../fixtures/servers.ts"
import { connected, type TestClient } from "../../support/mcpClients.ts"
import { folder, launch, ORDER, type Result } from "./program.ts"

const ADA = "a-token-of-ada-123"
const BOB = "a-token-of-bob-123"

const say = async (client: TestClient, message: string): Promise<Result> =>
  (await client.request("tools/call", { name: ORDER, arguments: { message } })) as unknown as Result

const textOf = ({ content }: Result): string => content.map(({ text = "" }) => text).join("\n")

/** The program with one server, and a client for each of its tokens. */
const two = Effect.fnUntraced(function* (server: object) {
  const clients = join(yield* folder, "clients")
  writeFileSync(clients, `ada ${ADA}\nbob ${BOB}\n`, { mode: 0o600 })
  const config = { mcp: { servers: { files: { ...shell(), ...server } } } }
  const program = yield* launch({ args: ["--http", "0", "--clients", clients], config })
  const { args, command, cwd, env } = program
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(command, [...args], { cwd, env: { ...env }, stdio: ["ignore", "ignore", "pipe"] })),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  child.stderr.on("data", (chunk: Buffer) => program.onStderr?.(chunk.toString()))
  const [, url = ""] = yield* program.logged(/listening at (http\S+)/)
  const ada = yield* connected("2026-07-28", { url, token: ADA })
  const bob = yield* connected("2026-07-28", { url, token: BOB })
  return { ada, bob }
})

describe("several clients of agent requests", () => {
  it.live("have their own limits: the calls of one are not used up by another", () =>
    Effect.gen(function* () {
      const { ada, bob } = yield* two({ limits: { perMinute: 2 } })
      const call = "/call mcp_files_echo text=hello"
      const said = yield* Effect.promise(async () => [
        await say(ada, call),
        await say(ada, call),
        await say(ada, call),
        await say(bob, call)
      ])
      const [first, second, third, ofBob] = said.map(textOf)
      for (const text of [first, second, ofBob]) assert.include(text, "hello")
      assert.include(third, "too many calls")
    }).pipe(Effect.scoped)
  )

  it.live("cannot restart a server: the calls of others go on", () =>
    Effect.gen(function* () {
      const { ada, bob } = yield* two({})
      const begun = join(yield* folder, "begun")
      const script = `touch ${begun}; while [ -e ${begun} ]; do sleep 0.05; done; echo "it went on"`
      const answer = say(bob, `/call mcp_files_sh ${JSON.stringify({ script })}`)
      yield* Effect.sleep(20).pipe(Effect.repeat({ until: () => existsSync(begun) }))
      const refused = textOf(yield* Effect.promise(() => say(ada, "/reset files")))
      assert.include(refused, "'files' is not restarted: other clients use it, too.")
      yield* Effect.promise(() => say(ada, `/call mcp_files_sh ${JSON.stringify({ script: `rm ${begun}` })}`))
      assert.include(textOf(yield* Effect.promise(() => answer)), "it went on")
    }).pipe(Effect.scoped)
  )
})
