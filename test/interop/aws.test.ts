import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as AwsProvider from "../../src/layers/secret/SecretResolver/awsProvider.ts"
import type { SecretsConfig } from "../../src/schemas/secret/SecretsConfig.ts"
import { arnOf, awsError, awsServer, type AwsSecret } from "../fixtures/awsServer.ts"
import { environment } from "./environment.ts"
import { installed } from "./installed.ts"
import { inFolder } from "../support/folder.ts"

const KEYS = { AKIAENV: "secret-of-env", AKIAPROFILE: "secret-of-profile" }
const V1 = "11111111-1111-4111-8111-111111111111"
const V2 = "22222222-2222-4222-8222-222222222222"
const DATA = { user: "alice", port: 5432, tls: { on: true } }

const SECRETS: ReadonlyArray<AwsSecret> = [
  { name: "prod/db", text: JSON.stringify(DATA), versionId: V2, stages: ["AWSCURRENT"] },
  { name: "prod/db", text: "the-old-one", versionId: V1, stages: ["AWSPREVIOUS", "BLUE"] },
  { name: "line", text: "with a line\n", versionId: V1, stages: ["AWSCURRENT"] },
  { name: "text-as-bytes", binary: Buffer.from("naïve ✓"), versionId: V1, stages: ["AWSCURRENT"] },
  { name: "bytes", binary: Buffer.from([0xff, 0xfe, 0x80]), versionId: V1, stages: ["AWSCURRENT"] },
  { name: "nothing", versionId: V1, stages: ["AWSCURRENT"] }
]

/** The real SDK. That it has the shape which the provider wants is seen by the compiler. */
type Sdk = typeof import("@aws-sdk/client-secrets-manager")
const sdk: Effect.Effect<AwsProvider.AwsModule> = Effect.promise(
  () => installed("@aws-sdk/client-secrets-manager") as Promise<Sdk>
)

const providerOf = (config: SecretsConfig["aws"] = {}) =>
  AwsProvider.make(config, { env: process.env, home: "/nowhere", reveal: Effect.succeed, mask: () => {} }, sdk)

/** The double, and an environment in which the SDK can find nothing but what is said here. */
const withAws = Effect.fnUntraced(function* (env: Record<string, string> = {}) {
  const aws = yield* awsServer(KEYS, SECRETS)
  yield* environment(/^AWS_/, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.origin,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_CONFIG_FILE: "/nowhere/config",
    AWS_SHARED_CREDENTIALS_FILE: "/nowhere/credentials",
    AWS_ACCESS_KEY_ID: "AKIAENV",
    AWS_SECRET_ACCESS_KEY: KEYS.AKIAENV,
    AWS_REGION: "eu-west-1",
    // The SDK's own repetitions would only cost time.
    AWS_MAX_ATTEMPTS: "1",
    ...env
  })
  return aws
})

const promise = (name: string, body: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body))

describe("a secret in AWS Secrets Manager, with AWS's own SDK", () => {
  promise(
    "is asked for by its name or ARN, at a version or stage, with a signature",
    Effect.gen(function* () {
      const aws = yield* withAws()
      const { kept, read } = providerOf()
      assert.isTrue(kept)
      assert.deepStrictEqual(JSON.parse(yield* read("prod/db", undefined)), DATA)
      assert.strictEqual(yield* read("prod/db", V1), "the-old-one")
      assert.strictEqual(yield* read("prod/db", "AWSPREVIOUS"), "the-old-one")
      assert.strictEqual(yield* read("prod/db", "BLUE"), "the-old-one")
      assert.strictEqual(yield* read(arnOf("line"), undefined), "with a line\n")
      assert.deepStrictEqual(
        aws.requests.map(({ body }) => JSON.parse(body) as unknown),
        [
          { SecretId: "prod/db" },
          { SecretId: "prod/db", VersionId: V1 },
          { SecretId: "prod/db", VersionStage: "AWSPREVIOUS" },
          { SecretId: "prod/db", VersionStage: "BLUE" },
          { SecretId: arnOf("line") }
        ]
      )
      for (const { headers } of aws.requests) {
        assert.match(
          headers.authorization ?? "",
          /^AWS4-HMAC-SHA256 Credential=AKIAENV\/\d{8}\/eu-west-1\/secretsmanager\//
        )
      }
    })
  )

  promise(
    "one key of a JSON object, by name or ARN",
    Effect.gen(function* () {
      yield* withAws()
      const { read } = providerOf()
      assert.strictEqual(yield* read("prod/db:user", undefined), "alice")
      assert.strictEqual(yield* read("prod/db:port", undefined), "5432")
      assert.strictEqual(yield* read("prod/db:tls", undefined), `{"on":true}`)
      assert.strictEqual(yield* read(`${arnOf("prod/db")}:user`, undefined), "alice")
      assert.strictEqual(
        yield* Effect.flip(read("prod/db:password", undefined)),
        "the secret was read, but it has no such field; it has 3, of other names"
      )
      assert.strictEqual(yield* Effect.flip(read("line:user", undefined)), "the secret was read, but it is not JSON")
    })
  )

  promise(
    "bytes that are text come as text, others are refused",
    Effect.gen(function* () {
      yield* withAws()
      const { read } = providerOf()
      assert.strictEqual(yield* read("text-as-bytes", undefined), "naïve ✓")
      assert.strictEqual(yield* Effect.flip(read("bytes", undefined)), "the secret is binary, not UTF-8 text")
      assert.strictEqual(yield* Effect.flip(read("nothing", undefined)), "the secret has no value")
    })
  )

  promise(
    "the region comes from the ARN, else the configuration, else the environment",
    Effect.gen(function* () {
      const aws = yield* withAws()
      const regions = () => aws.requests.map(({ headers }) => headers.authorization?.split("/")[2])
      const { read } = providerOf({ region: "us-west-2" })
      yield* read("line", undefined)
      yield* read(arnOf("line"), undefined)
      yield* providerOf().read("line", undefined)
      assert.deepStrictEqual(regions(), ["us-west-2", "eu-west-1", "eu-west-1"])
    })
  )

  promise(
    "a profile of the configuration is used, with its region",
    Effect.gen(function* () {
      const folder = yield* inFolder
      writeFileSync(join(folder, "config"), "[profile work]\nregion = ap-south-1\n")
      writeFileSync(
        join(folder, "credentials"),
        `[work]\naws_access_key_id = AKIAPROFILE\naws_secret_access_key = ${KEYS.AKIAPROFILE}\n`
      )
      const aws = yield* withAws({
        AWS_CONFIG_FILE: join(folder, "config"),
        AWS_SHARED_CREDENTIALS_FILE: join(folder, "credentials"),
        AWS_ACCESS_KEY_ID: "",
        AWS_SECRET_ACCESS_KEY: "",
        AWS_REGION: ""
      })
      assert.strictEqual(yield* providerOf({ profile: "work" }).read("line", undefined), "with a line\n")
      assert.match(aws.requests[0]?.headers.authorization ?? "", /Credential=AKIAPROFILE\/\d{8}\/ap-south-1\//)
      assert.match(yield* Effect.flip(providerOf({ profile: "play" }).read("line", undefined)), /no AWS region is set/)
      const there = providerOf({ profile: "play", region: "eu-west-1" })
      assert.match(yield* Effect.flip(there.read("line", undefined)), /^no AWS credentials were found: set AWS_PROFILE/)
    })
  )
})

describe("what goes wrong is said in our words", () => {
  promise(
    "the service's own errors",
    Effect.gen(function* () {
      const aws = yield* withAws()
      const { read } = providerOf()
      for (const [type, expected, status] of [
        ["AccessDeniedException", /^access is denied: the credentials need secretsmanager:GetSecretValue/],
        ["DecryptionFailure", /^AWS cannot decrypt the secret: its KMS key/],
        ["InvalidRequestException", /^the secret is marked for deletion/],
        ["InvalidParameterException", /^AWS does not take that name or version/],
        ["ExpiredTokenException", /^the AWS credentials have expired/],
        ["ThrottlingException", /^AWS limits the rate of requests/],
        ["InternalServiceError", /^AWS Secrets Manager is in trouble/, 500],
        ["hunter2Exception", /^AWS refused the request for a reason that is not known here \(HTTP 400\)$/],
        ["__proto__", /^AWS refused the request for a reason that is not known here \(HTTP 400\)$/]
      ] as const) {
        aws.interludes.push(awsError(type, undefined, status))
        const said = yield* Effect.flip(read("line", undefined))
        assert.match(said, expected)
        assert.notInclude(said, "hunter2")
      }
      assert.strictEqual(
        yield* Effect.flip(read("gone", undefined)),
        "there is no such secret, or not that version of it, in eu-west-1"
      )
      assert.strictEqual(yield* read("line", undefined), "with a line\n")
    })
  )

  promise(
    "credentials that are wrong, or not there",
    Effect.gen(function* () {
      for (const [env, expected] of [
        [{ AWS_ACCESS_KEY_ID: "AKIAOTHER" }, /^AWS does not accept the credentials/],
        [{ AWS_SECRET_ACCESS_KEY: "wrong" }, /^AWS does not accept the signature: the secret key is wrong/],
        [{ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" }, /^no AWS credentials were found/],
        [{ AWS_REGION: "" }, /^no AWS region is set: set AWS_REGION/]
      ] as const) {
        const failing = Effect.gen(function* () {
          yield* withAws(env)
          return yield* Effect.flip(providerOf().read("line", undefined))
        })
        assert.match(yield* Effect.scoped(failing), expected)
      }
    })
  )

  promise(
    "an answer that is none, and nobody there",
    Effect.gen(function* () {
      const aws = yield* withAws()
      const { read } = providerOf()
      for (const [reply, expected] of [
        [{ status: 200, body: "<html>hunter2</html>" }, /^AWS refused the request for a reason that is not known here/],
        [{ status: 200, body: "[]" }, /^the secret has no value/],
        [{ status: 200, body: `{"SecretString":{"a":"hunter2"}}` }, /^the secret has no value/],
        ["reset", /^AWS Secrets Manager in eu-west-1 closed the connection \(ECONNRESET\)/]
      ] as const) {
        aws.interludes.push(reply)
        const said = yield* Effect.flip(read("line", undefined))
        assert.match(said, expected)
        assert.notInclude(said, "hunter2")
      }
      yield* environment(/^AWS_ENDPOINT/, { AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://127.0.0.1:1" })
      assert.match(
        yield* Effect.flip(providerOf().read("line", undefined)),
        /^AWS Secrets Manager in eu-west-1 does not answer: nobody listens there \(ECONNREFUSED\)/
      )
    })
  )

  promise(
    "who gives up takes the request back",
    Effect.gen(function* () {
      const aws = yield* withAws()
      aws.interludes.push("hang")
      const fiber = yield* Effect.forkChild(providerOf().read("line", undefined))
      yield* aws.received(1)
      yield* Fiber.interrupt(fiber)
      yield* aws.hungUp
    })
  )
})
