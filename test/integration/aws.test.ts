import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as AwsProvider from "../../src/layers/secret/SecretResolver/awsProvider.ts"
import { inFolder } from "../support/folder.ts"

interface Answer {
  readonly stdout?: string
  readonly stderr?: string
  readonly code?: number
}

/** A command of that name which writes down what it was given, and says what it is told. */
const aws = Effect.fnUntraced(function* (answer: Answer) {
  const folder = yield* inFolder
  const record = join(folder, "record.json")
  const script = `#!${process.execPath}
const { writeFileSync, writeSync } = require("node:fs")
writeFileSync(${JSON.stringify(record)}, JSON.stringify({ args: process.argv.slice(2), env: process.env }))
const { stdout = "", stderr = "", code = 0 } = ${JSON.stringify(answer)}
writeSync(1, stdout)
writeSync(2, stderr)
process.exit(code)
`
  writeFileSync(join(folder, "aws"), script, { mode: 0o755 })
  const env = { PATH: folder, AWS_REGION: "eu-central-1", AWS_SECRET_ACCESS_KEY: "the-key", OTHER: "not for it" }
  return { env, record }
})

const providerOf = (env: Record<string, string>, config: { region?: string; profile?: string } = {}) => {
  const masked: Array<string> = []
  const context = { env, home: "/nowhere", reveal: Effect.succeed, mask: (value: string) => masked.push(value) }
  return { masked, ...AwsProvider.make(config, context, Effect.fail("it needs the package")) }
}

const promise = (name: string, body: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body))

describe.skipIf(process.platform === "win32")("AWS's secrets without AWS's SDK, by the command aws", () => {
  promise(
    "it is run with an argument vector, in an environment that is its own",
    Effect.gen(function* () {
      const { env, record } = yield* aws({ stdout: JSON.stringify({ SecretString: '{"user":"u"}' }) })
      const { masked, read } = providerOf(env, { region: "eu-west-1", profile: "work" })
      assert.strictEqual(yield* read("prod/db:user", "AWSPREVIOUS"), "u")
      const { args, env: given } = JSON.parse(readFileSync(record, "utf8")) as {
        args: ReadonlyArray<string>
        env: Record<string, string>
      }
      assert.deepStrictEqual(args, [
        "secretsmanager",
        "get-secret-value",
        "--secret-id=prod/db",
        "--output=json",
        "--version-stage=AWSPREVIOUS",
        "--region=eu-west-1",
        "--profile=work"
      ])
      assert.deepInclude(given, { AWS_REGION: "eu-central-1", AWS_SECRET_ACCESS_KEY: "the-key", AWS_PAGER: "" })
      assert.notProperty(given, "OTHER")
      assert.deepStrictEqual(masked, ["the-key"])
    })
  )

  promise(
    "a value that is kept as bytes is read as text",
    Effect.gen(function* () {
      const bytes = Buffer.from("bytes").toString("base64")
      const { env } = yield* aws({ stdout: JSON.stringify({ SecretBinary: bytes }) })
      assert.strictEqual(yield* providerOf(env).read("x", undefined), "bytes")
    })
  )

  const FAILURES: ReadonlyArray<readonly [Answer, RegExp]> = [
    [
      { code: 254, stderr: "An error occurred (ResourceNotFoundException) when calling the operation: secret words" },
      /^there is no such secret, or not that version of it, in eu-central-1$/
    ],
    [{ code: 253, stderr: "Unable to locate credentials." }, /^no AWS credentials were found/],
    [{ code: 253, stderr: "You must specify a region." }, /^no AWS region is set/],
    [{ code: 255, stderr: "Token has expired and refresh failed" }, /^the AWS credentials have expired/],
    [{ code: 3, stderr: "secret words" }, /^aws ended with exit code 3$/],
    [{ stdout: "secret words" }, /^aws answered with something that is not JSON$/]
  ]
  for (const [answer, expected] of FAILURES) {
    promise(
      `says in our words: ${expected.source}`,
      Effect.gen(function* () {
        const { env } = yield* aws(answer)
        assert.match(yield* Effect.flip(providerOf(env).read("x", undefined)), expected)
      })
    )
  }

  promise(
    "that is not there either is said beside the package",
    Effect.gen(function* () {
      const detail = yield* Effect.flip(providerOf({ PATH: "/nowhere" }).read("x", undefined))
      assert.strictEqual(detail, "it needs the package; or else the command aws, and that is not in PATH")
    })
  )
})
