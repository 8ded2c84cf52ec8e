import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as GcpProvider from "../../src/layers/secret/SecretResolver/gcpProvider.ts"
import { alive } from "../support/alive.ts"
import { inFolder } from "../support/folder.ts"
import { pause } from "../support/pause.ts"

/** A command of that name which writes down what it was given, and does what it is told. */
const gcloud = Effect.fnUntraced(function* (answer: {
  readonly stdout?: string
  readonly stderr?: string
  readonly code?: number
  readonly hang?: boolean
}) {
  const folder = yield* inFolder
  const record = join(folder, "record.json")
  const script = `#!${process.execPath}
const { writeFileSync, writeSync } = require("node:fs")
writeFileSync(${JSON.stringify(record)}, JSON.stringify({ pid: process.pid, args: process.argv.slice(2), env: process.env }))
const { stdout = "", stderr = "", code = 0, hang = false } = ${JSON.stringify(answer)}
if (hang) setInterval(() => {}, 1000)
else {
  writeSync(1, stdout)
  writeSync(2, stderr)
  process.exit(code)
}
`
  writeFileSync(join(folder, "gcloud"), script, { mode: 0o755 })
  return { folder, record }
})

interface Recorded {
  readonly pid: number
  readonly args: ReadonlyArray<string>
  readonly env: Record<string, string>
}

const recordedIn = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Recorded

const providerOf = (env: Record<string, string>, project?: string) => {
  const masked: Array<string> = []
  const context = { env, home: "/nowhere", reveal: Effect.succeed, mask: (value: string) => masked.push(value) }
  const missing = Effect.fail("it needs the package @google-cloud/secret-manager: npm install it")
  return { masked, ...GcpProvider.make(project === undefined ? {} : { project }, context, missing) }
}

const promise = (name: string, body: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body))

describe.skipIf(process.platform === "win32")("Google's secrets without Google's SDK, by the command gcloud", () => {
  promise(
    "it is run with an argument vector, in an environment that is its own",
    Effect.gen(function* () {
      const { folder, record } = yield* gcloud({ stdout: "the-value" })
      const env = {
        PATH: folder,
        HOME: "/home/alice",
        CLOUDSDK_CONFIG: "/etc/gcloud",
        CLOUDSDK_AUTH_ACCESS_TOKEN: "ya29.token",
        OTHER_TOKEN: "not its business",
        NODE_OPTIONS: "--no-warnings"
      }
      const { masked, read } = providerOf(env, "work")
      assert.strictEqual(yield* read("my-token", "7"), "the-value")
      const { args, env: seen } = recordedIn(record)
      assert.deepStrictEqual(args, [
        "secrets",
        "versions",
        "access",
        "7",
        "--secret=my-token",
        "--project=work",
        "--quiet"
      ])
      assert.deepStrictEqual(Object.keys(seen).toSorted(), [
        "CLOUDSDK_AUTH_ACCESS_TOKEN",
        "CLOUDSDK_CONFIG",
        "HOME",
        "PATH"
      ])
      assert.deepStrictEqual(masked, ["ya29.token"])
    })
  )

  promise(
    "without a version it is the latest; without a project, the one that gcloud is set to",
    Effect.gen(function* () {
      const { folder, record } = yield* gcloud({ stdout: "the-value" })
      yield* providerOf({ PATH: folder }).read("my-token", undefined)
      assert.deepStrictEqual(recordedIn(record).args, [
        "secrets",
        "versions",
        "access",
        "latest",
        "--secret=my-token",
        "--quiet"
      ])
      for (const [env, project] of [
        [{ GCLOUD_PROJECT: "one" }, "one"],
        [{ GCLOUD_PROJECT: "one", GOOGLE_CLOUD_PROJECT: "two" }, "two"],
        [{ GOOGLE_CLOUD_PROJECT: "" }, undefined]
      ] as const) {
        yield* providerOf({ PATH: folder, ...env }).read("my-token", undefined)
        assert.strictEqual(
          recordedIn(record).args.find((arg) => arg.startsWith("--project")),
          project && `--project=${project}`
        )
      }
      yield* providerOf({ PATH: folder }).read("projects/123/secrets/--help", undefined)
      assert.deepStrictEqual(recordedIn(record).args.slice(3), [
        "latest",
        "--secret=--help",
        "--project=123",
        "--quiet"
      ])
    })
  )

  for (const value of ["one line", "with a line break\n", "\n two \n\n", "naïve ✓ \uFEFF", "\uFEFFmark"]) {
    promise(
      `what it writes is the value, as it is: ${JSON.stringify(value)}`,
      Effect.gen(function* () {
        const { folder } = yield* gcloud({ stdout: value, stderr: "Updates are available for some components." })
        assert.strictEqual(yield* providerOf({ PATH: folder }, "work").read("my-token", undefined), value)
      })
    )
  }

  const COMPLAINTS: ReadonlyArray<readonly [stderr: string, expected: RegExp]> = [
    [
      "ERROR: (gcloud.secrets.versions.access) NOT_FOUND: Secret [projects/1/secrets/x] not found or has no versions.",
      /^there is no such secret in project work, or no version 'latest' of it$/
    ],
    [
      "ERROR: (gcloud.secrets.versions.access) PERMISSION_DENIED: Permission 'secretmanager.versions.access' denied",
      /^access is denied, or there is no such secret in project work/
    ],
    [
      "ERROR: (gcloud.secrets.versions.access) User [a@b] does not have permission to access secrets instance [x]",
      /^access is denied, or there is no such secret in project work/
    ],
    [
      "ERROR: (gcloud.secrets.versions.access) PERMISSION_DENIED: Secret Manager API has not been used in project 1\n  reason: SERVICE_DISABLED",
      /^the Secret Manager API is not enabled in project work/
    ],
    [
      "ERROR: (gcloud.secrets.versions.access) FAILED_PRECONDITION: Secret Version [x] is in DISABLED state.",
      /^version 'latest' of the secret is disabled or was destroyed/
    ],
    [
      "ERROR: (gcloud.secrets.versions.access) UNAUTHENTICATED: Request had invalid",
      /^Google does not accept the credentials/
    ],
    ["ERROR: (gcloud.secrets.versions.access) RESOURCE_EXHAUSTED: Quota exceeded", /^the quota of requests/],
    [
      "ERROR: (gcloud.secrets.versions.access) You do not currently have an active account selected.\nPlease run:\n\n  $ gcloud auth login",
      /^no Google credentials were found: gcloud is not logged in/
    ],
    [
      "ERROR: (gcloud.secrets.versions.access) There was a problem refreshing your current auth tokens: Reauthentication failed.",
      /^no Google credentials were found: gcloud is not logged in/
    ],
    [
      "ERROR: (gcloud.secrets.versions.access) The required property [project] is not currently set.",
      /^no Google Cloud project is known/
    ],
    ["the value is hunter2", /^gcloud ended with exit code 1$/],
    ["ERROR: (gcloud.secrets.versions.access) HUNTER2: hunter2", /^gcloud ended with exit code 1$/]
  ]
  for (const [stderr, expected] of COMPLAINTS) {
    promise(
      `its complaints are told apart, and not repeated: ${stderr.slice(39, 90).trim()}`,
      Effect.gen(function* () {
        const { folder } = yield* gcloud({ stdout: "hunter2", stderr, code: 1 })
        const said = yield* Effect.flip(providerOf({ PATH: folder }, "work").read("my-token", undefined))
        assert.match(said, expected)
        assert.notInclude(said.toLowerCase(), "hunter2")
      })
    )
  }

  promise(
    "where neither is there, the message names the package and the command",
    Effect.gen(function* () {
      const said = yield* Effect.flip(providerOf({ PATH: "/nowhere" }, "work").read("my-token", undefined))
      assert.strictEqual(
        said,
        "it needs the package @google-cloud/secret-manager: npm install it; or else the command gcloud, and that is not in PATH"
      )
    })
  )

  promise(
    "one that never ends is ended when the caller has had enough",
    Effect.gen(function* () {
      const { folder, record } = yield* gcloud({ hang: true })
      const fiber = yield* Effect.forkChild(providerOf({ PATH: folder }, "work").read("my-token", undefined))
      yield* Effect.sync(() => existsSync(record) && readFileSync(record, "utf8").endsWith("}")).pipe(
        Effect.tap(Effect.promise(pause)),
        Effect.repeat({ until: (isThere) => isThere })
      )
      const { pid } = recordedIn(record)
      assert.isTrue(alive(pid))
      yield* Fiber.interrupt(fiber)
      assert.isFalse(alive(pid))
    })
  )
})
