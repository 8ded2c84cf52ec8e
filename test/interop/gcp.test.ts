import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as GcpProvider from "../../src/layers/secret/SecretResolver/gcpProvider.ts"
import type { GcpModule } from "../../src/layers/secret/SecretResolver/gcpSdk.ts"
import { SECRET_RETRY_MS } from "../../src/schemas/defaults/Secrets.ts"
import type { SecretsConfig } from "../../src/schemas/secret/SecretsConfig.ts"
import { gcpError, gcpServer, type GcpSecret } from "../fixtures/gcpServer.ts"
import { environment } from "./environment.ts"
import { installed } from "./installed.ts"
import { inFolder } from "../support/folder.ts"

const data = (text: string) => Buffer.from(text)

const SECRETS: ReadonlyArray<GcpSecret> = [
  { project: "work", name: "token", version: 1, aliases: ["stable"], data: data("the-first") },
  { project: "work", name: "token", version: 2, data: data("the-second\n") },
  { project: "work", name: "off", version: 1, data: data("x"), state: "DISABLED" },
  { project: "work", name: "gone", version: 1, data: data("x"), state: "DESTROYED" },
  { project: "work", name: "bytes", version: 1, data: Buffer.from([0xff, 0xfe]) },
  { project: "work", name: "mark", version: 1, data: data("\uFEFFnaïve ✓") },
  { project: "work", name: "broken", version: 1, data: data("damaged"), checksum: "1" },
  { project: "work", name: "unchecked", version: 1, data: data("plain"), checksum: null },
  { project: "work", name: "empty", version: 1, data: data("") },
  { project: "of-the-key-file", name: "token", version: 1, data: data("of another project") }
]

/** The real SDK. That it has the shape which the provider wants is seen by the compiler. */
type Sdk = typeof import("@google-cloud/secret-manager")

/** The SDK's public options say where the service is; whom it speaks for is found by itself. */
const sdkAt = (origin: string): Effect.Effect<GcpModule> =>
  Effect.promise(async () => {
    const { SecretManagerServiceClient } = (await installed("@google-cloud/secret-manager")) as Sdk
    type Options = ConstructorParameters<typeof SecretManagerServiceClient>[0]
    const { hostname, port } = new URL(origin)
    return {
      SecretManagerServiceClient: class extends SecretManagerServiceClient {
        constructor(options: Options) {
          super({ ...options, protocol: "http", apiEndpoint: hostname, port: Number(port) } as Options)
        }
      }
    }
  })

/** The double, and an environment in which the SDK can find nothing but what is said here. */
const withGcp = Effect.fnUntraced(function* (env: Record<string, string> = {}) {
  const gcp = yield* gcpServer(SECRETS)
  const folder = yield* inFolder
  writeFileSync(join(folder, "key.json"), gcp.keyFile)
  yield* environment(/^(?:GOOGLE_|GCLOUD_|GCE_|CLOUDSDK_|METADATA_|HOME$|PATH$)/, {
    GOOGLE_APPLICATION_CREDENTIALS: join(folder, "key.json"),
    METADATA_SERVER_DETECTION: "none",
    HOME: folder,
    PATH: folder,
    ...env
  })
  const providerOf = (config: SecretsConfig["gcp"] = { project: "work" }, origin = gcp.origin) =>
    GcpProvider.make(config, { env: process.env, home: folder, reveal: Effect.succeed, mask: () => {} }, sdkAt(origin))
  return { gcp, providerOf, folder }
})

/** Time passes while real requests come and go, so that what waits before it tries again need not be waited for. */
const hurried = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust(SECRET_RETRY_MS).pipe(
      Effect.andThen(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
      Effect.repeat({ until: () => fiber.pollUnsafe() !== undefined })
    )
    return yield* Fiber.join(fiber)
  })

const promise = (name: string, body: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.effect(name, () => Effect.scoped(body))

describe("a secret in Google's Secret Manager, with Google's own SDK", () => {
  promise(
    "the latest version, a number or an alias, byte for byte",
    Effect.gen(function* () {
      const { gcp, providerOf } = yield* withGcp()
      const { kept, read } = providerOf()
      assert.isTrue(kept)
      assert.strictEqual(yield* read("token", undefined), "the-second\n")
      assert.strictEqual(yield* read("token", "1"), "the-first")
      assert.strictEqual(yield* read("token", "stable"), "the-first")
      assert.strictEqual(yield* read("mark", "latest"), "\uFEFFnaïve ✓")
      assert.deepStrictEqual(
        gcp.requests.map(({ target }) => target.replace(/\?.*/, "")),
        [
          "/v1/projects/work/secrets/token/versions/latest:access",
          "/v1/projects/work/secrets/token/versions/1:access",
          "/v1/projects/work/secrets/token/versions/stable:access",
          "/v1/projects/work/secrets/mark/versions/latest:access"
        ]
      )
    })
  )

  promise(
    "the project comes from the reference, the configuration, the environment, else the credentials",
    Effect.gen(function* () {
      const { providerOf } = yield* withGcp()
      assert.strictEqual(
        yield* providerOf().read("projects/of-the-key-file/secrets/token", undefined),
        "of another project"
      )
      assert.strictEqual(yield* providerOf({}).read("token", undefined), "of another project")
      for (const name of ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"]) {
        yield* environment(/^$/, { [name]: "work" })
        assert.strictEqual(yield* providerOf({}).read("token", "1"), "the-first")
        assert.match(yield* Effect.flip(providerOf({ project: "other" }).read("token", "1")), /in project other/)
        yield* environment(new RegExp(`^${name}$`), {})
      }
    })
  )

  promise(
    "a value that arrived damaged is asked for again, and never handed on; bytes that are no text are refused",
    Effect.gen(function* () {
      const { gcp, providerOf } = yield* withGcp()
      const { read } = providerOf()
      const said = yield* hurried(Effect.flip(read("broken", undefined)))
      assert.strictEqual(said, "the value arrived damaged: its checksum does not match")
      assert.lengthOf(gcp.requests, 3)
      assert.strictEqual(yield* read("unchecked", undefined), "plain")
      assert.strictEqual(yield* read("empty", undefined), "")
      assert.strictEqual(yield* Effect.flip(read("bytes", undefined)), "the secret is binary, not UTF-8 text")
    })
  )
})

describe("what goes wrong is said in our words", () => {
  promise(
    "the service's own errors; those that may pass are tried again",
    Effect.gen(function* () {
      const { gcp, providerOf } = yield* withGcp()
      const { read } = providerOf()
      assert.match(
        yield* Effect.flip(read("off", undefined)),
        /^version 'latest' of the secret is disabled or was destroyed/
      )
      assert.match(yield* Effect.flip(read("gone", "1")), /^version '1' of the secret is disabled or was destroyed/)
      assert.strictEqual(
        yield* Effect.flip(read("missing", undefined)),
        "there is no such secret in project work, or no version 'latest' of it"
      )
      const disabled = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SERVICE_DISABLED", domain: "g" }
      for (const [reply, expected, asked] of [
        [gcpError(403, "PERMISSION_DENIED"), /^access is denied, or there is no such secret in project work/, 1],
        [gcpError(403, "PERMISSION_DENIED", [disabled]), /^the Secret Manager API is not enabled in project work/, 1],
        [gcpError(401, "UNAUTHENTICATED"), /^Google does not accept the credentials/, 1],
        [gcpError(400, "INVALID_ARGUMENT"), /^Google does not take the request/, 1],
        [gcpError(429, "RESOURCE_EXHAUSTED"), /^the quota of requests to Google's Secret Manager is used up/, 3],
        [gcpError(503, "UNAVAILABLE"), /^Google's Secret Manager cannot be reached/, 3],
        [gcpError(500, "INTERNAL"), /^Google's Secret Manager is in trouble/, 3],
        [gcpError(504, "DEADLINE_EXCEEDED"), /^Google's Secret Manager did not answer in time/, 1],
        ["reset", /^Google's Secret Manager closed the connection \(ECONNRESET\)/, 3],
        [
          { status: 200, body: "<html>hunter2</html>" },
          /^Google's Secret Manager cannot be reached|^Google's SDK failed/,
          3
        ],
        [{ status: 200, body: "{}" }, /^the secret has no value/, 1]
      ] as const) {
        const before = gcp.requests.length
        // The SDK may ask once more by itself after a 401 or 403.
        gcp.interludes.push(...Array.from({ length: 2 * asked }, () => reply))
        const said = yield* hurried(Effect.flip(read("token", undefined)))
        assert.match(said, expected)
        assert.notInclude(said, "hunter2")
        assert.isAtLeast(gcp.requests.length - before, asked)
        gcp.interludes.length = 0
      }
      assert.strictEqual(yield* read("token", undefined), "the-second\n")
    })
  )

  promise(
    "no credentials: nothing is thrown where nobody can catch it, and they are looked for again",
    Effect.gen(function* () {
      const { folder, gcp, providerOf } = yield* withGcp({ GOOGLE_APPLICATION_CREDENTIALS: "" })
      const { read } = providerOf()
      for (const GOOGLE_APPLICATION_CREDENTIALS of ["", join(folder, "gone.json")]) {
        yield* environment(/^$/, { GOOGLE_APPLICATION_CREDENTIALS })
        assert.match(
          yield* Effect.flip(read("token", undefined)),
          /^no Google credentials were found: GOOGLE_APPLICATION_CREDENTIALS names a key file/
        )
      }
      yield* environment(/^$/, { GOOGLE_APPLICATION_CREDENTIALS: join(folder, "key.json") })
      assert.strictEqual(yield* read("token", undefined), "the-second\n")
      assert.lengthOf(gcp.requests, 1)
    })
  )

  promise(
    "nobody there",
    Effect.gen(function* () {
      const { providerOf } = yield* withGcp()
      const { read } = providerOf({ project: "work" }, "http://127.0.0.1:1")
      assert.strictEqual(
        yield* hurried(Effect.flip(read("token", undefined))),
        "Google's Secret Manager does not answer: nobody listens there (ECONNREFUSED)"
      )
    })
  )

  promise(
    "who gives up takes the request back",
    Effect.gen(function* () {
      const { gcp, providerOf } = yield* withGcp()
      gcp.interludes.push("hang")
      const fiber = yield* Effect.forkChild(providerOf().read("token", undefined))
      yield* gcp.received(1)
      yield* Fiber.interrupt(fiber)
      yield* gcp.hungUp
    })
  )
})
