import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import { secretLinesOf } from "../../../../src/layers/content/Redactor/secretLines.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"

const redactorOf = (value: string): Redactor["Service"] =>
  Effect.runSync(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(RedactorLayer.layer, scope)
      const redactor = yield* Redactor.pipe(Effect.provide(context))
      redactor.register(value, "owner")
      yield* Scope.close(scope, Exit.void)
      return redactor
    })
  )

const MASK = "[REDACTED]"

const PEM = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDFRvzWQxYvZbPq
abcdefghijklmnopABCDEFGHIJKLMNOPqrstuvwxyzQRSTUVWXYZabcdefghijkl
kQ7+w==
-----END PRIVATE KEY-----`

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUMvakNDQWVhZ0F3SUJBZ0lCQURBTkJna3Foa2lHOXcw
    server: https://kube.example.com:6443
    insecure-skip-tls-verify: true
  name: dev-cluster-eu-west-1
contexts:
- context:
    cluster: dev-cluster-eu-west-1
    user: service-account-v2
  name: dev
current-context: dev
users:
- name: ada
  user:
    token: k8s-plain-word
    password: "hunter2 and more"
`

const SERVICE_ACCOUNT = JSON.stringify(
  {
    type: "service_account",
    project_id: "my-project-123456",
    private_key: `${PEM}\n`,
    client_email: "mcp@my-project-123456.iam.gserviceaccount.com",
    client_id: "104829104829104829102",
    auth_uri: "https://accounts.google.com/o/oauth2/auth",
    token_uri: "https://oauth2.googleapis.com/token",
    universe_domain: "googleapis.com"
  },
  null,
  2
)

const DOTENV = `# settings
NODE_ENV=production
PORT=8080
LOG_LEVEL=debug
PUBLIC_URL=https://www.example.com/app
export DB_PASSWORD='correct horse'
SENTRY=9f86d081884c7d659a2feaa0c55ad015
DATABASE_URL=postgres://app:pw-of-the-db@db.example/x
TOKEN_FILE=/run/secrets/token
USE_TOKENS=false
`

describe("a secret of several lines", () => {
  const ORDINARY: Readonly<Record<string, readonly [value: string, lines: ReadonlyArray<string>]>> = {
    "a kubeconfig": [
      KUBECONFIG,
      [
        "apiVersion: v1",
        "kind: Config",
        "clusters:",
        "const clusters: Cluster[] = []",
        "- context:",
        "users:",
        "server: https://kube.example.com:6443",
        "https://kube.example.com:6443",
        "name: dev-cluster-eu-west-1",
        "insecure-skip-tls-verify: true",
        "current-context: dev",
        "user: service-account-v2",
        "- name: ada"
      ]
    ],
    "the key of a service account": [
      SERVICE_ACCOUNT,
      [
        '"type": "service_account",',
        "-----BEGIN PRIVATE KEY-----",
        '"project_id": "my-project-123456",',
        '"client_id": "104829104829104829102",',
        "https://oauth2.googleapis.com/token",
        "googleapis.com",
        '"auth_uri": "https://accounts.google.com/o/oauth2/auth",',
        "mcp@my-project-123456.iam.gserviceaccount.com"
      ]
    ],
    "an .env file": [
      DOTENV,
      [
        "NODE_ENV=production",
        "PORT=8080",
        "# settings",
        "LOG_LEVEL=debug",
        "TOKEN_FILE=/run/secrets/token",
        "PUBLIC_URL=https://www.example.com/app",
        "USE_TOKENS=false"
      ]
    ]
  }
  for (const [what, [value, lines]] of Object.entries(ORDINARY)) {
    it(`leaves ordinary lines of ${what} unmasked and not foreign`, () => {
      const { holdsForeign, redact } = redactorOf(value)
      for (const line of lines) {
        assert.strictEqual(redact(`a ${line} b`), `a ${line} b`)
        assert.isFalse(holdsForeign(line, "other"), line)
      }
    })

    it(`masks ${what} as a whole, also in base64 and JSON`, () => {
      const { holdsForeign, redact } = redactorOf(value)
      for (const form of [
        value.trim(),
        Buffer.from(value.trim()).toString("base64"),
        encodeURIComponent(value.trim())
      ]) {
        assert.strictEqual(redact(form), MASK)
        assert.isTrue(holdsForeign(form, "other"))
      }
      assert.strictEqual(redact(JSON.stringify(value.trim())), `"${MASK}"`)
    })
  }

  const CREDENTIALS: Readonly<Record<string, readonly [value: string, credentials: ReadonlyArray<string>]>> = {
    "a kubeconfig": [
      KUBECONFIG,
      [
        "k8s-plain-word",
        "hunter2 and more",
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUMvakNDQWVhZ0F3SUJBZ0lCQURBTkJna3Foa2lHOXcw"
      ]
    ],
    "the key of a service account": [SERVICE_ACCOUNT, [...PEM.split("\n").slice(1, -1), PEM]],
    "an .env file": [
      DOTENV,
      ["correct horse", "9f86d081884c7d659a2feaa0c55ad015", "pw-of-the-db", "postgres://app:pw-of-the-db@db.example/x"]
    ],
    "a PEM key": [PEM, PEM.split("\n").slice(1, -1)],
    "a password of two lines": ["tr0ub4dor&3#Kx\nq7R!tW4z", ["tr0ub4dor&3#Kx", "q7R!tW4z"]],
    "base64 in lines": [
      "U2FsdGVkX19uYW1lIG9mIGEgc2VjcmV0\nIHRoYXQgaXMgYnJva2VuIGludG8=",
      ["U2FsdGVkX19uYW1lIG9mIGEgc2VjcmV0", "IHRoYXQgaXMgYnJva2VuIGludG8="]
    ]
  }
  for (const [what, [value, credentials]] of Object.entries(CREDENTIALS)) {
    it(`masks each credential in ${what}, also encoded`, () => {
      const { holdsForeign, redact } = redactorOf(value)
      for (const credential of credentials) {
        assert.strictEqual(redact(`a ${credential} b`), `a ${MASK} b`)
        assert.isTrue(holdsForeign(credential, "other"), credential)
        assert.strictEqual(redact(Buffer.from(credential).toString("hex")), MASK)
      }
    })
  }

  it("does not include the header of an encrypted PEM key", () => {
    const lines = secretLinesOf(
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nabcdef\n-----END RSA PRIVATE KEY-----"
    )
    assert.deepStrictEqual(lines, ["abcdef"])
  })

  it("is read in linear time", () => {
    for (const unit of [
      "\n",
      "a=",
      "a: b\n",
      "://a:",
      '"',
      "\\n",
      "a1",
      "TOKEN=\\n",
      "aB",
      "?token=x&",
      "PASSWORD=\\\\n\n"
    ]) {
      assert.isArray(secretLinesOf(`x\n${unit.repeat(500_000 / unit.length)}`))
    }
  })
})
