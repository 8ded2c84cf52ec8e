import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Question } from "../../../../src/schemas/config/Question.ts"
import * as SecretKeeperLayer from "../../../../src/layers/secret/SecretKeeper.ts"
import { answered, asAnswers } from "../../../../src/programs/cli/getting/answers.ts"
import { inFolder } from "../../../support/folder.ts"

const question = (key: string, more: Partial<Question> = {}): Question => ({
  key,
  title: key,
  description: "",
  required: false,
  secret: false,
  repeated: false,
  format: "string",
  preset: [],
  choices: [],
  ...more
})

const values = (questions: ReadonlyArray<Question>, ...set: ReadonlyArray<string>) =>
  Effect.map(answered(questions, { name: "x", set, mayAsk: false }), (found) => Object.fromEntries(found))
const problem = (...given: Parameters<typeof values>) =>
  Effect.map(Effect.flip(values(...given)), ({ message }) => message)

describe("the values of a server", () => {
  it.effect("are those that were given, or else those of its author", () =>
    Effect.gen(function* () {
      const questions = [
        question("A", { preset: ["a"] }),
        question("B", { preset: ["b"] }),
        question("C", { repeated: true }),
        question("D")
      ]
      assert.deepStrictEqual(yield* values(questions, "B=x=y", "C=1", "C=2"), { A: ["a"], B: ["x=y"], C: ["1", "2"] })
      process.env["MCP_LIVE_TEST_VALUE"] = "of the environment"
      assert.deepStrictEqual(yield* values([question("MCP_LIVE_TEST_VALUE")], "MCP_LIVE_TEST_VALUE"), {
        MCP_LIVE_TEST_VALUE: ["of the environment"]
      })
      delete process.env["MCP_LIVE_TEST_VALUE"]
    })
  )

  it.effect("are refused with a reason that shows no value", () =>
    Effect.gen(function* () {
      assert.include(yield* problem([question("A", { required: true, secret: true })]), "--set A=… (secret)")
      assert.include(yield* problem([question("A")], "A=1", "A=2"), "given more than once")
      assert.include(yield* problem([question("A")], "A_NOT_SET"), "did not ask".replace("did", "does"))
      assert.include(yield* problem([question("MCP_LIVE_NOT_SET")], "MCP_LIVE_NOT_SET"), "this variable is not set")
      for (const [format, text, words] of [
        ["number", "canary", "must be a number"],
        ["boolean", "canary", "must be true or false"]
      ] as const) {
        const message = yield* problem([question("A", { format })], `A=${text}`)
        assert.include(message, words)
        assert.notInclude(message, "canary")
      }
      assert.include(yield* problem([question("A", { format: "number", min: 3 })], "A=2"), "must be at least 3")
    })
  )

  it.effect("of its author cannot be a secret of the user", () =>
    Effect.gen(function* () {
      for (const preset of ["secret://file/~/.ssh/id_rsa", "x SECRET://env/HOME"]) {
        assert.include(yield* problem([question("A", { preset: [preset] })]), "refers to a secret of yours")
      }
      assert.deepStrictEqual(yield* values([question("A")], "A=secret://env/HOME"), { A: ["secret://env/HOME"] })
    })
  )

  it.live("become references where they are secret, and absolute paths where they are paths", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const questions = [
        question("KEY", { secret: true }),
        question("REF", { secret: true }),
        question("PATH", { format: "filepath" })
      ]
      const given = new Map([
        ["KEY", ["canary"]],
        ["REF", ["secret://env/OTHER"]],
        ["PATH", ["a/b"]]
      ])
      const layer = SecretKeeperLayer.layer({ directory: join(home, "data"), home })
      const made = (keeps: "file" | "keep", store: boolean) =>
        Effect.map(asAnswers("srv", questions, given, keeps, store), (answers) => [
          Object.fromEntries([...answers].map(([key, [piece]]) => [key, piece!.text])),
          existsSync(join(home, "data", "secrets", "srv", "KEY"))
        ]).pipe(Effect.provide(Layer.fresh(layer)))
      const KEY = "secret://file/~/data/secrets/srv/KEY"
      const others = { REF: "secret://env/OTHER", PATH: join(process.cwd(), "a/b") }
      assert.deepStrictEqual(yield* made("file", false), [{ KEY, ...others }, false])
      assert.deepStrictEqual(yield* made("file", true), [{ KEY, ...others }, true])
      assert.deepStrictEqual(yield* made("keep", true), [{ KEY: "canary", ...others }, true])
    }).pipe(Effect.scoped)
  )
})
