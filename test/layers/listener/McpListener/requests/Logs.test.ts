import { assert, describe, it } from "@effect/vitest"
import { LISTENER_LOG_MAX_CHARS, LISTENER_LOGS_MAX } from "../../../../../src/schemas/defaults/Listener.ts"
import type { Json } from "../../../../../src/schemas/data/Json.ts"
import { LOG_LEVELS, type LogLevel, type LogMessage } from "../../../../../src/schemas/connection/LogMessage.ts"
import { Logs } from "../../../../../src/layers/listener/McpListener/requests/Logs.ts"

/** A client that reads one message each time it is told to. */
const listening = (least: LogLevel | "none" = "debug") => {
  const heard: Array<LogMessage> = []
  const reading: Array<() => void> = []
  const logs = new Logs()
  const to = {
    least: () => (least === "none" ? undefined : least),
    send: (message: LogMessage) => {
      heard.push(message)
      return new Promise<void>((resolve) => reading.push(resolve))
    }
  }
  return {
    heard,
    logs,
    say: (data: Json, level: LogLevel = "info") => logs.add({ level, data }, to),
    read: async () => {
      reading.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

const dataOf = (heard: ReadonlyArray<LogMessage>) => heard.map(({ data }) => data)

describe("log messages of a call", () => {
  it("go to a client that wants their level, in their order", async () => {
    const { heard, read, say } = listening("warning")
    for (const level of LOG_LEVELS) say(level, level)
    for (const _ of LOG_LEVELS) await read()
    assert.deepStrictEqual(dataOf(heard), ["warning", "error", "critical", "alert", "emergency"])
  })

  it("go to nobody who wants none, and to nobody when there is nobody", () => {
    const { heard, logs, say } = listening("none")
    say("to whom?", "emergency")
    logs.add({ level: "emergency", data: "to whom?" }, undefined)
    assert.deepStrictEqual(heard, [])
  })

  it("are left out when the client does not read, and not when it reads again", async () => {
    const { heard, read, say } = listening()
    for (let count = 0; count < 10_000; count++) say(count)
    assert.deepStrictEqual(dataOf(heard), [0])
    for (let count = 0; count <= LISTENER_LOGS_MAX + 10; count++) await read()
    assert.deepStrictEqual(
      dataOf(heard),
      Array.from({ length: LISTENER_LOGS_MAX + 1 }, (_, count) => count)
    )
    say("again")
    assert.strictEqual(heard.at(-1)?.data, "again")
  })

  it("that wait go out before the answer", async () => {
    const { heard, logs, read, say } = listening()
    for (const word of ["one", "two", "three"]) say(word)
    logs.flush()
    assert.deepStrictEqual(dataOf(heard), ["one", "two", "three"])
    await read()
    assert.lengthOf(heard, 3)
  })

  it("are bounded in size, and may be anything", async () => {
    const { heard, read, say } = listening()
    const large = { text: "x".repeat(LISTENER_LOG_MAX_CHARS) }
    let deep: Json = null
    for (let depth = 0; depth < 10_000; depth++) deep = [deep]
    for (const data of [large.text, `${large.text}xyz`, large, deep, null, [1, { a: true }]]) say(data)
    for (let count = 0; count < 6; count++) await read()
    assert.deepStrictEqual(dataOf(heard), [
      large.text,
      large.text,
      JSON.stringify(large).slice(0, LISTENER_LOG_MAX_CHARS),
      null,
      [1, { a: true }]
    ])
  })

  it("are no reason to stop when one cannot be sent", async () => {
    const heard: Array<LogMessage> = []
    const logs = new Logs()
    const to = {
      least: () => "debug" as const,
      send: async (message: LogMessage) => {
        heard.push(message)
        if (heard.length === 1) throw new Error("gone")
      }
    }
    for (const data of ["lost", "heard"]) logs.add({ level: "info", data }, to)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(dataOf(heard), ["lost", "heard"])
  })
})
