/** The largest order, at its real size, in a process with a small heap: whole at the model, and in nobody's way. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DIGESTS, LARGEST, MEDIA_BYTES, memoryOf, model, post, write } from "./largest.ts"
import { folder, GREETING, launch, line, model as configOf, ORDER, raw } from "./program.ts"

const ADA = "a-token-of-ada-123"
const BOB = "a-token-of-bob-123"
const SMALL_HEAP = ["--max-old-space-size=512"]
const READY = line({ method: "notifications/initialized" })
const small = (id: number) => line({ id, method: "tools/call", params: { name: ORDER, arguments: { message: "hi" } } })

/** Where memory can be read: nowhere else is it known. */
const isLinux = process.platform === "linux"

const listening = Effect.gen(function* () {
  const behind = yield* model
  const clients = join(yield* folder, "clients")
  writeFileSync(clients, `ada ${ADA}\nbob ${BOB}\n`, { mode: 0o600 })
  const program = yield* launch({
    args: ["--http", "0", "--clients", clients],
    config: configOf(behind.baseUrl),
    node: SMALL_HEAP
  })
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program.command, [...program.args], { cwd: program.cwd, env: { ...program.env } })),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  child.stderr.on("data", (chunk: Buffer) => program.onStderr?.(chunk.toString()))
  const [, url = ""] = yield* program.logged(/listening at (http\S+)/)

  const enter = async (token: string) => {
    const open = post(url, { authorization: `Bearer ${token}` })
    open.request.end(GREETING)
    const headers = {
      authorization: `Bearer ${token}`,
      "mcp-session-id": (await open.answer).session,
      "mcp-protocol-version": "2025-06-18"
    }
    const say = (text: string) => {
      const said = post(url, headers)
      said.request.end(text)
      return said.answer
    }
    await say(READY)
    return { begin: () => post(url, headers), say }
  }
  return {
    behind,
    pid: child.pid!,
    ada: yield* Effect.promise(() => enter(ADA)),
    bob: yield* Effect.promise(() => enter(BOB))
  }
})

describe.runIf(isLinux)("the largest order", () => {
  it.live(
    "over HTTP is whole at the model, takes less than three times its media, and others are answered meanwhile",
    () =>
      Effect.gen(function* () {
        const { ada, behind, bob, pid } = yield* listening
        yield* Effect.promise(async () => {
          const first = ada.say(small(3))
          ;(await behind.next()).answer()
          assert.include((await first).text, "Yes.")
          const idle = memoryOf(pid).now

          const order = ada.begin()
          const half = LARGEST.length / 2
          await write(order.request, LARGEST.slice(0, half))
          // It has stopped in the middle.
          assert.include((await bob.say(line({ id: 4, method: "tools/list" }))).text, ORDER)
          await write(order.request, LARGEST.slice(half))
          order.request.end()
          const asked = await behind.next()
          assert.deepStrictEqual(asked.digests, DIGESTS)

          // While it is worked on, another one of the same size is one too many: that is said before all of it has come.
          const another = bob.begin()
          void write(another.request, LARGEST)
          const refused = await another.answer
          another.request.destroy()
          assert.strictEqual(refused.status, 503)
          assert.include(refused.text, "Too much is being received")
          const other = bob.say(small(5))
          ;(await behind.next()).answer()
          assert.include((await other).text, "Yes.")

          asked.answer()
          const { status, text } = await order.answer
          assert.strictEqual(status, 200)
          assert.include(text, "Yes.")
          assert.isBelow(memoryOf(pid).most - idle, 3 * MEDIA_BYTES)

          // Soon there is room again, and of the last one nothing is left that a second one would come on top of.
          const next = behind.next()
          for (;;) {
            const second = bob.begin()
            void write(second.request, LARGEST).then(() => second.request.end())
            const outcome = await Promise.race([next, second.answer])
            if ("digests" in outcome) {
              assert.deepStrictEqual(outcome.digests, DIGESTS)
              outcome.answer()
              assert.include((await second.answer).text, "Yes.")
              break
            }
            assert.strictEqual(outcome.status, 503)
            second.request.destroy()
          }
          assert.isBelow(memoryOf(pid).most - idle, 3 * MEDIA_BYTES)
        })
      })
  )

  it.live("over stdin is whole at the model, and takes less than three times its media", () =>
    Effect.gen(function* () {
      const behind = yield* model
      const { child, stderr, stdout } = yield* raw({ config: configOf(behind.baseUrl), node: SMALL_HEAP })
      yield* Effect.promise(async () => {
        const said = (text: string) =>
          new Promise<void>((resolve) => {
            const look = () => {
              if (!stdout().includes(text)) return
              child.stdout.off("data", look)
              resolve()
            }
            child.stdout.on("data", look)
            look()
          })
        child.stdin.write(GREETING + READY + small(3))
        ;(await behind.next()).answer()
        await said('"id":3')
        const idle = memoryOf(child.pid!).now
        await write(child.stdin, [...LARGEST, "\n"])
        const asked = await behind.next()
        assert.deepStrictEqual(asked.digests, DIGESTS)
        child.stdin.write(line({ id: 8, method: "tools/list" }))
        await said('"id":8')
        asked.answer()
        await said('"id":7')
        assert.isBelow(memoryOf(child.pid!).most - idle, 3 * MEDIA_BYTES, stderr())
      })
    })
  )

  it.live("with one image that is too large is refused before the rest of it has come", () =>
    Effect.gen(function* () {
      const { ada, behind, bob } = yield* listening
      yield* Effect.promise(async () => {
        const order = ada.begin()
        // The request is never ended.
        await write(order.request, LARGEST.slice(0, 6))
        await write(order.request, [LARGEST[2]!.slice(0, 1024)])
        const { status, text } = await order.answer
        order.request.destroy()
        assert.strictEqual(status, 413)
        assert.include(text, "image 2 has more than 15,728,640 bytes (15 MB)")
        const other = bob.say(small(5))
        ;(await behind.next()).answer()
        assert.include((await other).text, "Yes.")
      })
    })
  )
})
