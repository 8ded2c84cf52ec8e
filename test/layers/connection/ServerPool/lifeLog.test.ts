import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { makeLifeLog } from "../../../../src/layers/connection/ServerPool/lifeLog.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

describe("the log of the life of a server", () => {
  it.effect("says whose a server is that one person has alone", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const capture = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
      const person = { issuer: "https://login.example.com", subject: "u-1", name: "ada@example.com" }
      const { info } = makeLifeLog({ ...serverConfig("notes"), person }, undefined)
      yield* Effect.andThen(info("starting"), makeLifeLog(serverConfig("files"), undefined).info("starting")).pipe(
        Effect.provide(Logger.layer([capture]))
      )
      assert.match(lines[0]!, /^\[notes \(ada@example\.com #[0-9a-f]{6}\)\] starting$/)
      assert.strictEqual(lines[1], "[files] starting")
    })
  )
})
