import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  givenServer,
  nameOfCommand,
  nameOfUrl,
  withOnly,
  withServer,
  type Given
} from "../../../../src/programs/cli/servers/givenServer.ts"
import { decode } from "../../../schemas/config/decoding.ts"

const NONE: Given = { command: [], url: undefined, headers: [], env: [], allowPrivate: false, cwd: undefined }

const given = (more: Partial<Given>, present: Record<string, string> = {}) => givenServer({ ...NONE, ...more }, present)
const server = (more: Partial<Given>, present?: Record<string, string>) => Result.getOrThrow(given(more, present))
const refusal = (more: Partial<Given>) => {
  const read = given(more)
  return Result.isFailure(read) ? read.failure : undefined
}

describe("a server of the command line", () => {
  it("is called what its command starts", () => {
    for (const [words, name] of [
      ["npx -y @modelcontextprotocol/server-filesystem@1.2.3 /data", "server-filesystem"],
      ["uvx mcp-server-fetch", "mcp-server-fetch"],
      ["uvx --from=git+https://x.example/y fetch==1.0", "fetch"],
      ["docker run -i --rm ghcr.io/some/thing:latest", "thing"],
      ["/usr/local/bin/files-mcp --root /", "files-mcp"],
      ["node /srv/weather/dist/index.js", "weather"],
      ["python3 -m notes", "notes"],
      ["node", "node"],
      ["日本", "server"]
    ] as const) {
      assert.strictEqual(nameOfCommand(words.split(" ")), name, words)
    }
  })

  it("is never named after text that may contain a secret: inline code, or a variable", () => {
    for (const [command, name] of [
      [["sh", "-c", "serve-it --token s3cret"], "sh"],
      [["bash", "-lc", "serve-it --token s3cret"], "bash"],
      [["node", "--eval", "connect(`s3cret`)"], "node"],
      [["python3", "-c", "connect(`s3cret`)", "notes"], "notes"],
      [["docker", "run", "--env", "MY-KEY=s3cret", "-e", "MY.KEY=s3cret", "thing"], "thing"]
    ] as const) {
      assert.strictEqual(nameOfCommand(command), name, command.join(" "))
    }
  })

  it("is called like its address, so that a login can name it; or like the host where that is no name", () => {
    assert.strictEqual(nameOfUrl(new URL("https://mcp.example/a")), "https://mcp.example/a")
    assert.strictEqual(nameOfUrl(new URL("https://mcp.example/a?key=secret")), "mcp.example")
    assert.strictEqual(nameOfUrl(new URL(`https://mcp.example/${"a".repeat(80)}`)), "mcp.example")
  })

  it("has the words as the shell passed them: variables and references stay as they are", () => {
    const { launch } = server(
      { cwd: "/work", command: ["cmd", "${HOME}", "--http", "1"], env: ["A=x=${B}", "C", "S=secret://env/S"] },
      { C: "c", HOME: "/root" }
    )
    assert.deepStrictEqual(launch, {
      kind: "stdio",
      command: "cmd",
      args: ["${HOME}", "--http", "1"],
      env: { A: "x=${B}", C: "c", S: "secret://env/S" },
      cwd: "/work"
    })
  })

  it("has headers, and is as guarded as one of a configuration", () => {
    const made = server({
      url: "https://mcp.example/mcp",
      headers: ["Authorization: Bearer secret://env/T", "X-A:b:c"]
    })
    assert.deepStrictEqual(made.launch, {
      kind: "http",
      url: "https://mcp.example/mcp",
      headers: { Authorization: "Bearer secret://env/T", "X-A": "b:c" }
    })
    assert.deepInclude(made, { allowPrivate: false, sampling: false })
    assert.strictEqual(made.content.mode, "delimit")
    assert.isTrue(server({ url: "https://mcp.example/mcp", allowPrivate: true }).allowPrivate)
  })

  it("is refused with what is wrong, and without a value that may be a secret", () => {
    const wrong: ReadonlyArray<readonly [Partial<Given>, string]> = [
      [{}, "is missing"],
      [{ command: ["a"], url: "https://b.example" }, "not both"],
      [{ command: ["a"], headers: ["A: b"] }, "for --url"],
      [{ command: ["a"], allowPrivate: true }, "for --url"],
      [{ url: "https://b.example", env: ["A=b"] }, "for a command"],
      [{ url: "https://b.example", cwd: "/x" }, "for a command"],
      [{ url: "ftp://b.example" }, "http or https"],
      [{ url: "nonsense" }, "http or https"],
      [{ command: [" "] }, "empty"],
      [{ command: ["a"], env: ["NOT_HERE"] }, "NOT_HERE"],
      [{ command: ["a"], env: ["=hunter2secret"] }, "--env must be NAME or NAME=value"],
      [{ url: "https://b.example", headers: ["hunter2secret"] }, "--header must be 'Name: value'"],
      // What would keep it from ever starting.
      [
        { command: ["a"], env: ["A=secret://evn/B"] },
        "--env A: there is no secret provider 'evn'; known providers: env, "
      ],
      [
        { command: ["a"], env: ["A=secret://hunter2secret"] },
        "--env A holds a secret:// reference that cannot be read"
      ],
      [{ command: ["a", "--key=secret://"] }, "an argument of the command holds a secret:// reference"],
      [{ command: ["a"], env: ["NODE_OPTIONS=x"] }, "--env NODE_OPTIONS can make"],
      [
        { url: "https://b.example", headers: ["A: Bearer secret://x/y"] },
        "--header A: there is no secret provider 'x'"
      ],
      [{ url: "https://b.example/secret://x" }, "--url holds a secret:// reference"],
      [{ url: "https://ada:hunter2secret@b.example" }, "put them in a --header"],
      [{ url: "http://10.1.2.3/mcp" }, "--url leads to a private address: if you mean it, add --allow-private"],
      [{ url: "http://b.example/mcp" }, "--url leads to a public address without https://: use https://"],
      [{ url: "http://169.254.169.254/" }, "where a cloud hands out credentials"]
    ]
    for (const [more, words] of wrong) {
      const said = refusal(more)
      assert.include(said, words)
      assert.notInclude(said, "hunter2secret")
    }
  })
})

describe("an address of the command line", () => {
  it("may be one of this machine, and with leave a private one; one that a secret completes is judged when it is known", () => {
    for (const more of [
      { url: "http://localhost:3000/mcp" },
      { url: "http://127.0.0.1:3000/mcp" },
      { url: "http://10.1.2.3/mcp", allowPrivate: true },
      { url: "https://{secret://env/TENANT}.example/mcp" },
      { url: "http://{secret://env/HOST}/mcp" }
    ])
      assert.isUndefined(refusal(more), more.url)
  })
})

describe("a configuration for one server", () => {
  const config = decode(
    `{ mcp: { servers: { a: { command: "x" }, b: { command: "y" } } }, agents: { list: [{ id: "one", tools: { deny: ["b/*"] } }] } }`
  )

  it("may select one of its servers: the others are disabled", () => {
    const [agent] = withOnly(config, "a").agents
    assert.deepStrictEqual(
      agent!.servers.map(({ enabled, name }) => [name, enabled]),
      [
        ["a", true],
        ["b", false]
      ]
    )
  })

  it("may have another server in place of all of its own, under its rules", () => {
    const other = server({ command: ["z"] })
    const [agent] = withServer(config, other).agents
    assert.deepStrictEqual(agent!.servers, [other])
    assert.deepStrictEqual(agent!.rules, config.agents[0]!.rules)
  })
})
