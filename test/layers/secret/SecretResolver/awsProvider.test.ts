import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AwsProvider from "../../../../src/layers/secret/SecretResolver/awsProvider.ts"

const context = { env: {}, home: "/nowhere", reveal: Effect.succeed, mask: () => {} }
const refusal = (path: string) =>
  Effect.flip(AwsProvider.make({}, context, Effect.fail("was to be loaded")).read(path, undefined))

const ARN = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1b2c3"

describe("a reference to AWS", () => {
  const REFUSED: ReadonlyArray<readonly [path: string, expected: RegExp]> = [
    ["", /not the name of a secret/],
    ["a b", /not the name of a secret/],
    ["naïve", /not the name of a secret/],
    ["a".repeat(513), /not the name of a secret/],
    ["name:", /no key after the colon/],
    [`${ARN}:`, /no key after the colon/],
    ["arn:aws:s3:::bucket", /not the ARN of a secret/],
    ["arn:aws:secretsmanager:eu-west-1:1:secret:x", /not the ARN of a secret/],
    ["arn:aws:secretsmanager:evil.example/:123456789012:secret:x", /not the ARN of a secret/],
    ["arn:aws:secretsmanager:eu-west-1:123456789012:secret", /not the ARN of a secret/]
  ]
  for (const [path, expected] of REFUSED) {
    it.effect(`is refused before the SDK is loaded: ${path.slice(0, 60)}`, () =>
      Effect.gen(function* () {
        assert.match(yield* refusal(path), expected)
      })
    )
  }

  for (const path of ["prod/db", "a+b=c.d@e_f-g", "name:key", "name:key:with:colons", ARN, `${ARN}:key`]) {
    it.effect(`is accepted: ${path}`, () =>
      Effect.gen(function* () {
        assert.match(yield* refusal(path), /^was to be loaded; or else the command aws/)
      })
    )
  }

  it.effect("is read with one client for each region, and credentials in the environment are masked", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      const sdk: AwsProvider.AwsModule = {
        SecretsManager: class {
          readonly config = { region: async () => "somewhere" }
          constructor({ region = "" }: { readonly region?: string }) {
            made.push(region)
          }
          getSecretValue = async () => ({ SecretString: "value" })
        }
      }
      const masked: Array<string> = []
      const env = { AWS_SECRET_ACCESS_KEY: "the-key", AWS_SESSION_TOKEN: "the-session", AWS_ACCESS_KEY_ID: "AKIA" }
      const mask = (value: string) => masked.push(value)
      const { read } = AwsProvider.make({}, { ...context, env, mask }, Effect.succeed(sdk))
      for (const path of ["a", "b", ARN, `${ARN}x`]) assert.strictEqual(yield* read(path, undefined), "value")
      assert.deepStrictEqual(made, ["", "eu-west-1"])
      assert.deepStrictEqual(new Set(masked), new Set(["the-key", "the-session"]))
    })
  )

  it.effect("without the AWS SDK fails with the name of the package to install", () =>
    Effect.gen(function* () {
      const said = yield* Effect.flip(AwsProvider.make({}, context).read("name", undefined))
      assert.match(
        said,
        /needs the package @aws-sdk\/client-secrets-manager.*npm install @aws-sdk\/client-secrets-manager/
      )
    })
  )
})
