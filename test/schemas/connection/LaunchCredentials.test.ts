import { assert, describe, it } from "@effect/vitest"
import { credentialsOf, knownCredentials } from "../../../src/schemas/connection/LaunchCredentials.ts"

const ofEnv = (env: Record<string, string>, args: ReadonlyArray<string> = []) =>
  credentialsOf({ kind: "stdio", command: "node", args, env, cwd: undefined })
const ofHttp = (headers: Record<string, string>, url = "https://mcp.example/mcp") =>
  credentialsOf({ kind: "http", url, headers })

describe("plaintext credentials in a launch", () => {
  it("are the values of variables with a credential's name", () => {
    assert.deepStrictEqual(
      ofEnv({
        GITHUB_TOKEN: "ghp_0123456789",
        DB_PASSWORD: "swordfish",
        LICENSE_KEY: "AAAA-1111",
        HOST: "db1.internal",
        AUTHOR: "ada9"
      }),
      ["ghp_0123456789", "swordfish", "AAAA-1111"]
    )
  })

  it("include short names, connection strings and the path of a webhook", () => {
    assert.deepStrictEqual(
      ofEnv({
        GITHUB_PAT: "ghp-0123456",
        JIRA_PASS: "swordfish-1",
        DB_PWD: "swordfish-2",
        STRIPE_SK: "sk-0123456",
        SENTRY_DSN: "key-dsn-0123456",
        CONN: "Server=db;User=ada;Password=swordfish-3;Timeout=30",
        WEBHOOK_URL: "https://hooks.example/services/T0/B0/0123456789",
        PWD: "/home/ada7",
        OLDPWD: "somewhere7",
        COMPASS: "north-north-1",
        TASK: "task-000001"
      }),
      [
        "ghp-0123456",
        "swordfish-1",
        "swordfish-2",
        "sk-0123456",
        "key-dsn-0123456",
        "swordfish-3",
        "/services/T0/B0/0123456789"
      ]
    )
  })

  it("of a client's server are not guarded when they are common words", () => {
    const launch = {
      kind: "stdio" as const,
      command: "node",
      args: [],
      env: { A_TOKEN: "function", B_TOKEN: "return;", C_TOKEN: "tok-0123456789" },
      cwd: undefined
    }
    assert.deepStrictEqual(knownCredentials({ launch, session: "s" }), [
      { value: "function", guarded: false },
      { value: "return;", guarded: false },
      { value: "tok-0123456789", guarded: true }
    ])
    assert.isTrue(knownCredentials({ launch, session: undefined }).every(({ guarded }) => guarded))
  })

  it("include headers, without the scheme before a token", () => {
    assert.deepStrictEqual(
      ofHttp({ Authorization: "Bearer tok-0123456789", "X-Api-Key": "key-0123456789", Accept: "application/json9" }),
      ["tok-0123456789", "key-0123456789"]
    )
    assert.deepStrictEqual(ofHttp({ authorization: "GenieKey 1234-abcd" }), ["1234-abcd"])
    const basic = Buffer.from("ada:pass-0123").toString("base64")
    assert.deepStrictEqual(ofHttp({ Authorization: `Basic ${basic}` }), [basic, "pass-0123"])
    assert.deepStrictEqual(ofHttp({ Cookie: "theme=dark; session=s3ss10n-1" }), ["s3ss10n-1"])
  })

  it("include the query and user info of a URL, also percent-decoded", () => {
    const url = "https://ada:p%40ss-123@mcp.example/mcp?api_key=k%2F0123456&page=1234567890&x=y"
    assert.deepStrictEqual(ofHttp({}, url), ["p%40ss-123", "p@ss-123", "k%2F0123456", "k/0123456"])
    assert.deepStrictEqual(ofHttp({}, "https://ghp_0123456789@git.example/"), ["ghp_0123456789"])
    assert.deepStrictEqual(ofEnv({ DATABASE: "postgres://ada:s3cr3t-1@db/x" }, ["redis://:s3cr3t-2@cache"]), [
      "s3cr3t-1",
      "s3cr3t-2"
    ])
  })

  it("do not include references, unset values and common words", () => {
    assert.deepStrictEqual(
      ofEnv({
        A_TOKEN: "secret://env/A",
        B_TOKEN: "Bearer {secret://op/a/b/c}",
        C_TOKEN: "${C_TOKEN}",
        AUTH_ENABLED: "true",
        MAX_TOKENS: "100000",
        TOKEN_LIMIT: "1234567890123",
        AUTH_MODE: "client-credentials",
        SORT_KEY: "created_at",
        TOKEN_TYPE: "bearer",
        DB_PASSWORD: "postgres",
        AUTH_URL: "https://login.example/oauth",
        TOKEN_FILE: "/secrets/token",
        SSH_KEY: "/home/ada/.ssh/id_ed25519",
        DATABASE: "postgres://postgres:postgres@db/x",
        REPOSITORY: "ssh://git-user1@git.example/x",
        EMPTY_TOKEN: ""
      }),
      []
    )
    assert.deepStrictEqual(
      ofHttp({}, "https://secret://env/USER:secret://env/PW@h.example/?key=secret://env/K&t=1"),
      []
    )
  })
})
