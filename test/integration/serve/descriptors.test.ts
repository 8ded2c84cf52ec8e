/** A program that may have few files open, and others who take as many connections as they get. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { inFixtures, shell } from "../../fixtures/servers.ts"
import { alive } from "../../support/alive.ts"
import { ask, bearer, textOf } from "../../support/rawHttp.ts"
import { listeningTo, placeFor } from "./program.ts"
import { pauses } from "../../support/pause.ts"

const DESCRIPTORS = 256
const CONNECTIONS = 600
/** On a busy machine, the crowd is quicker with new connections than a client with its first word. */
const RETRIES = 9
const HOSTILE = "a-token-of-the-hostile-client"
const HONEST = "a-token-of-the-honest-client"

/** Connections of another process that say nothing, and come again when they are closed. */
const crowd = (port: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [inFixtures("listener/crowd.ts"), port, String(CONNECTIONS), ""])
      await once(child.stdout, "data")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Streams of the holder of a token, none of which ends. */
const streams = (port: string) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          const socket = connect(Number(port), "127.0.0.1")
          socket.on("error", () => {})
          const { authorization } = bearer(HOSTILE)
          const head = ["GET /sse HTTP/1.1", `host: 127.0.0.1:${port}`, `authorization: ${authorization}`]
          socket.write(`${head.join("\r\n")}\r\n\r\n`)
          // Answered, refused or cut off, which may come as an error.
          await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => {})
          return socket
        })
      )
    ),
    (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
  )

describe("serve: few files may be open", () => {
  it.live("an honest client is served and a server restarted, however many connections others open", () =>
    Effect.gen(function* () {
      const clients = [
        { name: "hostile", token: "secret://env/HOSTILE" },
        { name: "honest", token: "secret://env/HONEST" }
      ]
      const servers = { shell: { ...shell(), limits: { perMinute: 0, failures: 0 } } }
      const { file, home } = yield* placeFor({ mcp: { servers, serve: { clients } } })
      const { url } = yield* listeningTo(home, ["--config", file, "--http", "0"], { HOSTILE, HONEST }, DESCRIPTORS)
      // A connection that has said nothing yet may be closed in favor of a newer one: then a client connects again.
      const call = (name: string, args: object) =>
        Effect.tryPromise(() =>
          ask("2026-07-28", url, HONEST, "tools/call", { name: `mcp_shell_${name}`, arguments: args })
        ).pipe(Effect.retry({ times: RETRIES }), Effect.map(textOf), Effect.orDie)
      const pidOf = (text: string) => Number(/^\d+$/m.exec(text)?.[0])
      const before = pidOf(yield* call("pid", {}))
      assert.isTrue(alive(before))
      const { port } = new URL(url)
      yield* streams(port)
      yield* crowd(port)
      for (let i = 0; i < 20; i++) assert.include(yield* call("echo", { text: "honest words" }), "honest words")
      process.kill(before, "SIGKILL")
      const after = yield* call("pid", {}).pipe(
        Effect.map(pidOf),
        Effect.repeat({ schedule: pauses, until: (pid) => pid !== before && alive(pid) }),
        Effect.timeout("60 seconds")
      )
      assert.notStrictEqual(after, before)
    }).pipe(Effect.scoped)
  )
})
