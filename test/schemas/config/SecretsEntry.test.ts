import { assert, describe, it } from "@effect/vitest"
import { formatIssue } from "../../../src/schemas/config/ConfigIssue.ts"
import { DEFAULT_SECRETS } from "../../../src/schemas/secret/SecretsConfig.ts"
import { decode, errorsOf, warningsOf } from "./decoding.ts"

type Env = Readonly<Record<string, string>>

const X = `servers: { x: { command: "a" } }`
/** The section as it stands in openclaw.json. */
const inMcp = (secrets: string) => `{ mcp: { secrets: ${secrets}, ${X} } }`
const secretsOf = (secrets: string, env: Env = {}) => decode(inMcp(secrets), env).secrets
const short = (line: string) => line.replace(/^openclaw\.json:\d+: mcp\.secrets\./, "")
const problems = (secrets: string, env: Env = {}) => errorsOf(inMcp(secrets), env).map(short)
const warnings = (secrets: string, env: Env = {}) => warningsOf(inMcp(secrets), env).map(short)

describe('the section "secrets" of the configuration', () => {
  it("may be left out or empty", () => {
    assert.deepStrictEqual(decode(`{ mcp: { ${X} } }`).secrets, DEFAULT_SECRETS)
    assert.deepStrictEqual(secretsOf("{}"), DEFAULT_SECRETS)
    assert.deepStrictEqual(secretsOf("{ exec: {}, vault: {}, gcp: {}, aws: {}, op: {} }"), DEFAULT_SECRETS)
  })

  it("accepts every key, puts in variables and resolves paths", () => {
    const secrets = secretsOf(
      `{
        ttlMs: 0,
        exec: {
          pass: { command: "pass", args: ["show", "mcp/\${WHO}", "~/x"], env: { A_TOKEN: "secret://file/run/t", B: 1 } },
          own: { command: "./bin/token" }
        },
        vault: { address: "https://vault.example:8200", namespace: "team", token: "secret://keychain/vault/ada" },
        gcp: { project: "\${P}" }, aws: { region: "eu-central-1", profile: "mcp" }, op: { account: "acme.1password.eu" }
      }`,
      { WHO: "ada", P: "my-project" }
    )
    assert.deepStrictEqual(secrets, {
      ttlMs: 0,
      exec: {
        pass: {
          command: "pass",
          args: ["show", "mcp/ada", "/home/ada/x"],
          env: { A_TOKEN: "secret://file/run/t", B: "1" }
        },
        own: { command: "/etc/gateway/bin/token", args: [], env: {} }
      },
      vault: { address: "https://vault.example:8200", namespace: "team", token: "secret://keychain/vault/ada" },
      gcp: { project: "my-project" },
      aws: { region: "eu-central-1", profile: "mcp" },
      op: { account: "acme.1password.eu" }
    })
    const appRole = `{ roleId: "r-1", secretId: "secret://exec/id" }`
    assert.deepStrictEqual(secretsOf(`{ exec: { id: { command: "i" } }, vault: { appRole: ${appRole} } }`)?.vault, {
      appRole: { roleId: "r-1", secretId: "secret://exec/id", mount: "approle" }
    })
    const mounted = `{ vault: { appRole: { roleId: "r", secretId: "\${S}", mount: "team/approle" } } }`
    assert.strictEqual(secretsOf(mounted, { S: "s" })?.vault.appRole?.mount, "team/approle")
  })

  it("treats an empty ${NAME:-} as left out", () => {
    const empty = `{ vault: { namespace: "\${N:-}", token: "\${T:-}", appRole: { roleId: "\${R:-}", secretId: "\${S:-}" } }, gcp: { project: "\${P:-}" } }`
    assert.deepStrictEqual(secretsOf(empty), DEFAULT_SECRETS)
  })

  it("refuses unknown keys and names the nearest one, on every level", () => {
    const slips = `{ ttl: 1, valut: {}, exec: { a: { comand: "x", command: "y" } },
      vault: { adress: "x", appRole: { roleID: "r" } }, gcp: { projects: "p" }, aws: { regoin: "r" }, op: { acount: "a" } }`
    assert.deepStrictEqual(problems(slips).toSorted(), [
      'aws.regoin: unknown key, did you mean "region"?',
      'exec.a.comand: unknown key, did you mean "command"?',
      'gcp.projects: unknown key, did you mean "project"?',
      'op.acount: unknown key, did you mean "account"?',
      "ttl: unknown key",
      'valut: unknown key, did you mean "vault"?',
      'vault.adress: unknown key, did you mean "address"?',
      'vault.appRole.roleID: unknown key, did you mean "roleId"?'
    ])
  })

  it("refuses wrong types and missing keys", () => {
    assert.deepStrictEqual(problems(`{ ttlMs: -1, exec: [], vault: "x", gcp: 1, aws: null, op: true }`), [
      "ttlMs: must be a number of milliseconds, or 0 for no cache, is -1",
      "exec: must be an object, is a list",
      "vault: must be an object, is a string",
      "gcp: must be an object, is a number",
      "aws: must be an object, is null",
      "op: must be an object, is true"
    ])
    assert.deepStrictEqual(
      problems(`{ exec: { a: {}, b: { command: "" }, "a b": { command: "x" }, "..": { command: "x" } } }`),
      [
        "exec.a.command: is missing",
        "exec.b.command: must be a string that is not empty, is empty",
        'exec["a b"]: is not a valid name of a command: 1 to 64 letters, digits, "_", "-" or "."',
        'exec[".."]: is not a valid name of a command: 1 to 64 letters, digits, "_", "-" or "."'
      ]
    )
    assert.deepStrictEqual(problems(`{ vault: { address: "vault.example", appRole: { roleId: "r" } } }`), [
      "vault.appRole.secretId: is missing",
      "vault.address: must be an http:// or https:// address"
    ])
    assert.deepStrictEqual(
      problems(`{ vault: { token: "secret://env/T", appRole: { roleId: "r", secretId: "secret://env/S" } } }`, {
        T: "t",
        S: "s"
      }),
      ['vault.appRole: is an alternative to "token", which is also set: keep one']
    )
    assert.deepStrictEqual(problems(`{ vault: { namespace: "\${N}" } }`), [
      "vault.namespace: environment variable N is not set: set it, or give a default with ${N:-value}"
    ])
  })

  it("has a fault for each provider that refers to an unset variable", () => {
    const secrets = `{ vault: { token: "\${NONE}" }, aws: { region: "\${NONE}", profile: "p" }, gcp: { project: "p" },
      exec: { a: { command: "\${NONE}" }, b: { command: "x" } } }`
    const config = decode(inMcp(secrets))
    assert.deepStrictEqual(Object.keys(config.secrets?.faults ?? {}).toSorted(), ["aws", "exec/a", "vault"])
    assert.strictEqual(
      formatIssue(config.secrets!.faults!["vault"]!),
      "openclaw.json:1: mcp.secrets.vault.token: environment variable NONE is not set: set it, or give a default with ${NONE:-value}"
    )
    assert.lengthOf(config.faults!, 3)
    assert.isUndefined(decode(inMcp(secrets), { NONE: "x" }).secrets?.faults)
  })

  it("has errors with the line of the key", () => {
    assert.deepStrictEqual(errorsOf(`{ mcp: {\n secrets: {\n  vault: {\n   adress: 1 } }, ${X} } }`), [
      'openclaw.json:4: mcp.secrets.vault.adress: unknown key, did you mean "address"?'
    ])
  })
})

describe('credentials in the section "secrets"', () => {
  it("in plain text have a warning without their value", () => {
    const secrets = `{ exec: { a: { command: "x", env: { API_TOKEN: "hunter2", LEVEL: "3" } } },
      vault: { token: "hunter2" } }`
    const told = (place: string) =>
      `"secrets" has plaintext credentials in config (${place}): consider secret:// references`
    assert.deepStrictEqual(warnings(secrets), [
      `exec.a.env.API_TOKEN: ${told("exec.a.env.API_TOKEN")}`,
      `vault.token: ${told("vault.token")}`
    ])
    assert.deepStrictEqual(warnings(`{ vault: { appRole: { roleId: "role", secretId: "hunter2" } } }`), [
      `vault.appRole.secretId: ${told("vault.appRole.secretId")}`
    ])
    assert.deepStrictEqual(warnings(`{ vault: { token: "\${T}" } }`, { T: "t" }), [])
  })

  it("may refer to env, file, exec and keychain only", () => {
    for (const provider of ["vault/kv/a/b", "aws/x", "gcp/x", "op/v/i/f"]) {
      const name = provider.split("/")[0]
      assert.deepStrictEqual(problems(`{ vault: { token: "secret://${provider}" } }`), [
        `vault.token: cannot refer to ${name} here, only to env, file, exec, keychain`
      ])
    }
    assert.deepStrictEqual(
      problems(
        `{ exec: { a: { command: "x", env: { A: "secret://exec/a", B: "secret://keychain/a/b", C: "secret://vualt/x" } } } }`
      ),
      [
        "exec.a.env.A: cannot refer to exec here, only to env, file",
        "exec.a.env.B: cannot refer to keychain here, only to env, file",
        "exec.a.env.C: there is no secret provider 'vualt', did you mean 'vault'?"
      ]
    )
    assert.deepStrictEqual(problems(`{ exec: { db: { command: "x" } }, vault: { token: "secret://exec/bd" } }`), [
      "vault.token: there is no command 'bd' for secret://exec/bd, did you mean 'db'?"
    ])
    assert.deepStrictEqual(warnings(`{ vault: { token: "secret://env/T" } }`), [
      "vault.token: environment variable T is not set: Vault cannot be asked without secret://env/T"
    ])
  })

  it("are refused in a command, its arguments, an address or a name", () => {
    const R = "secret://env/T"
    const everywhere = `{ exec: { a: { command: "${R}", args: ["-k", "${R}"] } },
      vault: { address: "${R}", namespace: "${R}", appRole: { roleId: "r", secretId: "${R}", mount: "${R}" } },
      gcp: { project: "${R}" }, aws: { region: "${R}", profile: "${R}" }, op: { account: "${R}" } }`
    assert.deepStrictEqual(
      problems(everywhere, { T: "t" })
        .map((line) => line.replace(": cannot contain a secret:// reference", ""))
        .toSorted(),
      [
        "aws.profile",
        "aws.region",
        "exec.a.args[1]",
        "exec.a.command",
        "gcp.project",
        "op.account",
        "vault.address",
        "vault.appRole.mount",
        "vault.namespace"
      ]
    )
  })

  it("are refused as masks, and a command's env may not have dangerous names", () => {
    const mask = "is a mask, not a value: it was written back from a display"
    assert.deepStrictEqual(
      problems(`{ vault: { token: "***" }, exec: { a: { command: "x", env: { T: "[REDACTED]" } } } }`),
      [`exec.a.env.T: ${mask}`, `vault.token: ${mask}`]
    )
    assert.deepStrictEqual(problems(`{ vault: { appRole: { roleId: "***", secretId: "***" } } }`), [
      `vault.appRole.roleId: ${mask}`,
      `vault.appRole.secretId: ${mask}`
    ])
    assert.match(
      problems(`{ exec: { a: { command: "x", env: { LD_PRELOAD: "/x.so" } } } }`).join(),
      /^exec\.a\.env\.LD_PRELOAD: can load.*: set it in a script that the command starts$/
    )
    assert.deepStrictEqual(
      problems(
        `{ vault: { namespace: "***" }, op: { account: "[hidden]" }, exec: { a: { command: "[REDACTED]", args: ["--token=***", "--key", "***", "***"] } } }`
      ).toSorted(),
      [
        `exec.a.args[0]: ${mask}`,
        `exec.a.args[2]: ${mask}`,
        `exec.a.command: ${mask}`,
        `op.account: ${mask}`,
        `vault.namespace: ${mask}`
      ]
    )
  })

  it("are refused with a Vault address over http, except on this machine", () => {
    assert.deepStrictEqual(problems(`{ vault: { address: "http://vault.example:8200" } }`), [
      "vault.address: must begin with https://, unless Vault is on this machine"
    ])
    for (const address of ["https://vault.example", "http://127.0.0.1:8200", "http://localhost", "http://[::1]:1"]) {
      assert.deepStrictEqual(problems(`{ vault: { address: "${address}" } }`), [])
    }
  })
})

describe('reading the section "secrets"', () => {
  const OURS = `{ ttlMs: 5 }`
  const OPENCLAWS = `{ providers: { default: { source: "env" }, vault: { source: "exec", command: "/v" } }, defaults: { exec: "vault" }, resolution: { maxProviderConcurrency: 4 } }`
  const ttlOf = (text: string) => decode(text).secrets?.ttlMs

  it("finds it under mcp in openclaw.json, and beside servers or mcpServers in other files", () => {
    assert.strictEqual(ttlOf(inMcp(OURS)), 5)
    assert.strictEqual(ttlOf(`{ secrets: ${OURS}, ${X} }`), 5)
    assert.strictEqual(ttlOf(`{ secrets: ${OURS}, mcpServers: { x: { command: "a" } } }`), 5)
  })

  it("ignores OpenClaw's own section in every form", () => {
    const twice = OPENCLAWS.replace("{ providers", "{ defaults: {}, providers")
    for (const text of [
      `{ secrets: ${OPENCLAWS}, mcp: { ${X} } }`,
      `{ secrets: ${twice}, mcp: { ${X} } }`,
      `{ secrets: ${OPENCLAWS}, ${X} }`,
      `{ secrets: ${OPENCLAWS}, mcpServers: { x: { command: "a" } } }`,
      `{ secrets: { defaults: { env: "default" } }, mcp: { ${X} } }`
    ]) {
      assert.deepStrictEqual(warningsOf(text), [], text)
      assert.deepStrictEqual(decode(text).secrets, DEFAULT_SECRETS)
    }
  })

  it("takes ours beside OpenClaw's own in one openclaw.json", () => {
    assert.strictEqual(ttlOf(`{ secrets: ${OPENCLAWS}, mcp: { secrets: ${OURS}, ${X} } }`), 5)
  })

  it("ignores ours at the top of openclaw.json, with a warning", () => {
    const text = `{ secrets: ${OURS}, mcp: { ${X} } }`
    assert.deepStrictEqual(warningsOf(text), [
      'openclaw.json:1: secrets: has no effect here: it belongs under "mcp.secrets"'
    ])
    assert.deepStrictEqual(decode(text).secrets, DEFAULT_SECRETS)
  })

  it("refuses it in two places, and with keys of both shapes", () => {
    assert.deepStrictEqual(errorsOf(`{ secrets: ${OURS}, ${X}, mcp: { secrets: ${OURS} } }`), [
      'openclaw.json:1: secrets: means the same as "mcp.secrets", which is also given: keep one'
    ])
    assert.deepStrictEqual(errorsOf(`{ secrets: { ttlMs: 5, providers: {} }, ${X} }`), [
      "openclaw.json:1: secrets.providers: unknown key"
    ])
  })

  it("ignores another program's section beside mcpServers, but refuses a misspelled key of ours", () => {
    const beside = (secrets: string) => `{ secrets: ${secrets}, mcpServers: { x: { command: "a" } } }`
    for (const strange of [`{ GITHUB_TOKEN: "t" }`, `["a"]`, `"x"`, "{}"]) {
      assert.deepStrictEqual(warningsOf(beside(strange)), [])
    }
    assert.deepStrictEqual(errorsOf(beside(`{ valut: {} }`)), [
      'openclaw.json:1: secrets.valut: unknown key, did you mean "vault"?'
    ])
    assert.deepStrictEqual(errorsOf(`{ secrets: { hashicorp: {} }, ${X} }`), [
      "openclaw.json:1: secrets.hashicorp: unknown key"
    ])
    assert.deepStrictEqual(errorsOf(`{ secrets: "x", ${X} }`), [
      "openclaw.json:1: secrets: must be an object, is a string"
    ])
  })

  it("refuses it in an agent", () => {
    assert.deepStrictEqual(errorsOf(`{ agents: { defaults: { mcp: { secrets: ${OURS}, ${X} } } } }`), [
      'openclaw.json:1: agents.defaults.mcp.secrets: belongs in the top-level "mcp" only'
    ])
  })

  it("warns that no server is configured when it is alone", () => {
    assert.match(warningsOf(`{ secrets: ${OPENCLAWS} }`).join(), /no MCP server is configured: they belong under/)
  })

  it("warns of a key that is given twice", () => {
    assert.deepStrictEqual(warningsOf(`{ secrets: { ttlMs: 1,\n ttlMs: 2 }, ${X} }`), [
      "openclaw.json:2: secrets.ttlMs: is also on line 1; the last one counts"
    ])
  })
})
