import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readFileSync } from "node:fs"
import { type Answers, typed } from "../../../../src/schemas/config/Question.ts"
import { type LaunchOffer, offersOf } from "../../../../src/schemas/config/registry/Offers.ts"
import { ServerJson } from "../../../../src/schemas/config/registry/ServerJson.ts"
import {
  altered,
  bundled,
  database,
  filesystem,
  memory,
  MEMORY_VERSION,
  tickets,
  weather
} from "../../../fixtures/registry/servers.ts"

const offers = (server: object) => offersOf(Schema.decodeUnknownSync(ServerJson)(server))

const launchOf = (server: object): LaunchOffer => {
  const { offers: found, refused } = offers(server)
  const [first] = found
  if (first?._tag !== "Launch") return assert.fail(JSON.stringify(refused))
  return first
}

const answers = (given: Record<string, string | ReadonlyArray<string>>): Answers =>
  new Map(Object.entries(given).map(([key, value]) => [key, [value].flat().map((text) => typed(text))]))

const built = (server: object, given: Record<string, string | ReadonlyArray<string>> = {}) =>
  launchOf(server).build(answers(given))
const entry = (...given: Parameters<typeof built>) => Result.getOrThrow(built(...given))
const problem = (...given: Parameters<typeof built>) => {
  const result = built(...given)
  return Result.isFailure(result) ? result.failure : assert.fail(JSON.stringify(result.success))
}
const refusal = (more: object) => {
  const { offers: found, refused } = offers(altered(more))
  assert.deepStrictEqual(found, [])
  return refused[0]!.reason
}

describe("the descriptions of the tests", () => {
  it("have the form that the registry publishes", () => {
    const schema = JSON.parse(
      readFileSync(new URL("../../../fixtures/registry/server.schema.json", import.meta.url), "utf8")
    ) as object
    const check = new Ajv2020({ strict: false }).compile(schema)
    const bundle = bundled("https://github.com/example/x/releases/download/v1/x.mcpb", "ab".repeat(32))
    for (const server of [memory, filesystem, weather, database, tickets, bundle]) {
      assert.isTrue(check(server), JSON.stringify(check.errors))
    }
  })
})

describe("a package", () => {
  it("of npm is started by npx in its exact version", () => {
    assert.deepStrictEqual(entry(memory), {
      command: "npx",
      args: ["-y", `@modelcontextprotocol/server-memory@${MEMORY_VERSION}`]
    })
    assert.deepStrictEqual(
      launchOf(memory).questions.map(({ key, required, secret }) => [key, required, secret]),
      [
        ["MEMORY_FILE_PATH", false, false],
        ["API_KEY", false, true]
      ]
    )
  })

  it("gets its arguments in their order, and its variables", () => {
    const { questions, unusual } = launchOf(filesystem)
    assert.deepStrictEqual(unusual, [])
    assert.deepStrictEqual(
      questions.map(({ key }) => key),
      ["LOG_LEVEL", "TOKEN", "token", "mode", "limit", "org", "target_dir"]
    )
    assert.deepStrictEqual(
      questions.filter(({ secret }) => secret).map(({ key }) => key),
      ["TOKEN", "token"]
    )
    const given = {
      mode: "local",
      org: "acme",
      target_dir: ["/a", "/b"],
      TOKEN: "secret://file/t",
      token: "secret://file/u",
      LOG_LEVEL: "info"
    }
    assert.deepStrictEqual(entry(filesystem, given), {
      command: "npx",
      args: [
        "-y",
        "@modelcontextprotocol/server-filesystem@1.0.2",
        "serve",
        "--mode=local",
        "--header=X-Org: acme",
        "/a",
        "/b"
      ],
      env: { LOG_LEVEL: "info", TOKEN: "secret://file/t", AUTH: "Bearer {secret://file/u}" }
    })
  })

  it("of PyPI is started by uvx", () => {
    assert.deepStrictEqual(entry(weather, { c: "Oslo" }), {
      command: "uvx",
      args: ["weather-mcp-server@0.5.0", "-c", "Oslo"]
    })
    assert.include(problem(weather, { c: "--index-url=https://example.com" }), "begins with a dash")
  })

  it("in an image is started with its digest, and no value is on the command line", () => {
    const { remarks, unusual } = launchOf(database)
    assert.deepStrictEqual([remarks, unusual], [[], []])
    const { args, ...rest } = entry(database, { db_type: "mysql", host: "db", DB_PASSWORD: "secret://env/PW" })
    assert.deepStrictEqual(rest, { command: "docker", env: { DB_TYPE: "mysql", DB_PASSWORD: "secret://env/PW" } })
    const image = `ghcr.io/example/database:3.1.0@sha256:${"1a".repeat(32)}`
    assert.deepStrictEqual(
      (args as ReadonlyArray<string>).join(" "),
      `run -i --rm -e DB_PASSWORD -e DB_TYPE ${image} --host=db`
    )
  })

  it("that is elsewhere is reached at its address, with its headers", () => {
    assert.deepStrictEqual(entry(tickets, { tenant: "acme", "X-API-Key": "secret://file/k", "X-Region": "us" }), {
      url: "https://acme.example.com/mcp",
      headers: { "X-API-Key": "secret://file/k", "X-Region": "us" }
    })
    assert.strictEqual(offers(tickets).offers.length, 2)
  })

  it("that is a bundle is downloaded by its digest", () => {
    const [bundle] = offers(bundled("https://github.com/a/b.mcpb", "ab".repeat(32))).offers
    assert.deepInclude(bundle, { _tag: "Bundle", url: "https://github.com/a/b.mcpb", sha256: "ab".repeat(32) })
    assert.include(refusal({ registryType: "mcpb", identifier: "https://github.com/a/b.mcpb" }), "no digest")
    assert.include(
      refusal({ registryType: "mcpb", identifier: "file:///etc/passwd", fileSha256: "ab".repeat(32) }),
      "no address"
    )
  })
})

describe("a description that could start something else", () => {
  it("is refused by the name of its package", () => {
    for (const identifier of [
      "-y",
      "--package=evil",
      "a b",
      "../x",
      "https://example.com/x.tgz",
      "git+ssh://x/y",
      "@a/b/c",
      "x;y",
      ""
    ]) {
      assert.include(refusal({ identifier }), "no name of a package")
    }
    for (const identifier of ["--from", "x[extra]", "x @ https://example.com"]) {
      assert.include(refusal({ registryType: "pypi", version: "1.0", identifier }), "no name of a package")
    }
    for (const identifier of ["-v", "--privileged", "a b:1", "x:1 --privileged"]) {
      assert.include(refusal({ registryType: "oci", identifier }), "no image")
    }
  })

  it("is refused without one exact version", () => {
    for (const version of ["latest", "next", "^1.2.3", "1.x", "1.*", ">=1.0.0", "1.0.0 --x", "1"]) {
      assert.include(refusal({ version }), "not one exact version")
    }
    assert.include(refusal({ version: "" }), "names no version")
    for (const version of ["latest", "1.x", "1.*", ">=1"]) {
      assert.include(refusal({ registryType: "pypi", identifier: "x", version }), "not one exact version")
    }
    for (const identifier of ["a/b", "a/b:latest"]) {
      assert.include(
        refusal({ registryType: "oci", identifier, version: "latest" }),
        "neither a digest nor an exact version"
      )
    }
  })

  it("is refused where its package comes from another registry, because npx would not take it from there", () => {
    assert.include(refusal({ registryBaseUrl: "https://npm.example.com" }), "npx would start the package of that name")
    assert.include(refusal({ registryBaseUrl: "https://registry.npmjs.org.example.com" }), "npx would start")
  })

  it("is refused with a runtime, a transport or a kind that is not known", () => {
    assert.include(refusal({ runtimeHint: "bash" }), 'wants to be started with "bash"')
    assert.include(refusal({ runtimeHint: "docker" }), "mcp-live starts npm packages with npx")
    assert.include(refusal({ transport: { type: "streamable-http", url: "http://localhost:1" } }), "over stdio only")
    assert.include(refusal({ registryType: "cargo" }), "cannot start")
  })

  it("is refused where an argument of the runtime would be the program", () => {
    const runtimeArguments = [{ type: "positional", value: "evil-package" }]
    assert.include(refusal({ runtimeArguments }), "would start that instead")
    assert.include(refusal({ registryType: "oci", identifier: "a/b:1", runtimeArguments }), "would start that instead")
  })

  it("of OCI cannot take a variable of the user, or the image for one", () => {
    const image = (value: string, more: object = {}) =>
      altered({
        registryType: "oci",
        identifier: "docker.io/a/b:1.2.3",
        runtimeArguments: [{ type: "named", name: "-e", value }],
        ...more
      })
    assert.include(problem(image("AWS_SECRET_ACCESS_KEY")), 'passes "AWS_SECRET_ACCESS_KEY" with -e')
    assert.include(problem(image("")), 'passes "" with -e')
    const described = image("KEY", { environmentVariables: [{ name: "KEY", value: "v" }] })
    assert.deepStrictEqual(entry(described), {
      command: "docker",
      args: ["run", "-i", "--rm", "-e", "KEY", "docker.io/a/b:1.2.3"],
      env: { KEY: "v" }
    })
  })

  it("is unusual where it gives the runtime arguments of its own, or takes an image from an unknown place", () => {
    const unusual = (more: object) => launchOf(altered(more)).unusual.join("\n")
    assert.include(
      unusual({ runtimeArguments: [{ type: "named", name: "--registry", value: "https://evil.example" }] }),
      "gives npx the argument"
    )
    assert.include(
      unusual({
        registryType: "oci",
        identifier: "a/b:1",
        runtimeArguments: [{ type: "named", name: "-v", value: "/:/host" }]
      }),
      'gives docker the argument "-v /:/host"'
    )
    assert.include(
      unusual({ registryType: "oci", identifier: "evil.example/a/b:1" }),
      "none of the registries that are known"
    )
    for (const name of ["npm_config_registry", "NPM_CONFIG_REGISTRY", "HTTPS_PROXY", "PATH", "NODE_EXTRA_CA_CERTS"]) {
      const given = { environmentVariables: [{ name, value: "https://evil.example" }] }
      assert.include(unusual(given), `sets ${name} to "https://evil.example", which npx obeys`)
    }
    assert.include(
      unusual({ environmentVariables: [{ name: "UV_INDEX", default: "x" }], registryType: "pypi", identifier: "x" }),
      "uvx obeys"
    )
    assert.strictEqual(
      unusual({ environmentVariables: [{ name: "HTTPS_PROXY" }, { name: "API_KEY", default: "x" }] }),
      ""
    )
    assert.include(unusual({ fileSha256: "ab".repeat(32) }), "which npx cannot check")
  })

  it("is unusual where its address is not a public one", () => {
    const remote = (url: string) => offers({ ...tickets, remotes: [{ type: "streamable-http", url }] })
    for (const url of [
      "http://127.0.0.1:8080/mcp",
      "http://localhost/mcp",
      "https://169.254.169.254/",
      "http://example.com/mcp",
      "https://10.0.0.1/{x}"
    ]) {
      const [offer] = remote(url).offers
      assert.include(offer?._tag === "Launch" ? offer.unusual.join() : "", "which leads to", url)
    }
    for (const url of ["https://example.com/mcp", "{base}/mcp", "https://{tenant}.example.com/"]) {
      assert.deepInclude(remote(url).offers[0], { unusual: [] })
    }
    for (const url of ["file:///etc/passwd", "javascript:x"])
      assert.include(remote(url).refused[0]!.reason, "names no address")
    const filled = (url: string, own: object) =>
      offers({ name: "a/b", version: "1.0.0", remotes: [{ type: "sse", url, variables: { host: own } }] }).offers[0]
    for (const own of [{ value: "169.254.169.254" }, { default: "169.254.169.254" }]) {
      const offer = filled("https://{host}/mcp", own)
      assert.include(offer?._tag === "Launch" ? offer.unusual.join() : "", "which leads to")
    }
    assert.deepInclude(filled("{host}/mcp", { default: "https://10.0.0.1" }), {
      unusual: ["is at 10.0.0.1, which leads to a private address"]
    })
    assert.deepInclude(filled("{host}/mcp", { isRequired: true }), { unusual: [] })
  })

  it("cannot read a secret or a variable of the user", () => {
    const variable = (value: string) => altered({ environmentVariables: [{ name: "X", value }] })
    assert.include(problem(variable("secret://file/~/.ssh/id_rsa")), "refers to a secret of yours")
    assert.include(problem(variable("{SECRET://env/HOME}")), "refers to a secret of yours")
    const split = { name: "X", value: "secret:/{x}", variables: { x: { value: "/env/HOME" } } }
    assert.include(problem(altered({ environmentVariables: [split] })), "refers to a secret of yours")
    assert.deepInclude(entry(variable("${HOME} $${X}")), { env: { X: "$${HOME} $$${X}" } })
    assert.include(problem(variable("a\nb")), "control characters")
  })

  it("has an image without a digest: that is said", () => {
    assert.include(
      launchOf(altered({ registryType: "oci", identifier: "a/b:1" })).remarks.join(),
      "can put another one behind that tag"
    )
  })
})
