import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ConfigSourceLive from "../../../src/layers/config/ConfigSource.ts"
import { CONFIG_MAX_BYTES } from "../../../src/schemas/defaults/Configuration.ts"
import { ConfigSource } from "../../../src/services/config/ConfigSource.ts"

/** A directory of its own for each test, with the working directory and the home directory apart. */
const workspace = Effect.acquireRelease(
  Effect.promise(async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), "mcp-live-config-")))
    const [cwd, home] = [join(root, "work"), join(root, "home")]
    await Promise.all([mkdir(cwd), mkdir(home)])
    return { root, cwd, home }
  }),
  ({ root }) => Effect.promise(() => rm(root, { recursive: true, force: true }))
)

const put = (file: string, content: string | Uint8Array) =>
  Effect.promise(async () => {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  })

const loadObject = (value: unknown, options: Omit<ConfigSourceLive.Options, "path"> = {}) =>
  Effect.gen(function* () {
    return yield* (yield* ConfigSource).load
  }).pipe(Effect.provide(ConfigSourceLive.layerObject(value, options)))

const load = (options: ConfigSourceLive.Options) =>
  Effect.gen(function* () {
    return yield* (yield* ConfigSource).load
  }).pipe(Effect.provide(ConfigSourceLive.layer(options)))

/** What an operator reads when the configuration cannot be used. */
const problem = (options: ConfigSourceLive.Options) =>
  load(options).pipe(
    Effect.flip,
    Effect.map((error) => error.message)
  )

const SERVER = `{ mcpServers: { x: { command: "node" } } }`

describe("ConfigSource.layer", () => {
  it.effect("reads the file that is named, also relative to the working directory or to home", () =>
    Effect.gen(function* () {
      const { cwd, home } = yield* workspace
      const file = join(cwd, "conf", "my.json5")
      yield* put(file, SERVER)
      yield* put(join(home, "own.json"), SERVER)
      assert.strictEqual((yield* load({ path: file, cwd: home, env: {} })).file, file)
      assert.strictEqual((yield* load({ path: "conf/my.json5", cwd, env: {} })).file, file)
      assert.strictEqual((yield* load({ path: "~/own.json", cwd, env: { HOME: home } })).file, join(home, "own.json"))
    })
  )

  it.effect("searches the usual places in order", () =>
    Effect.gen(function* () {
      const { cwd, home, root } = yield* workspace
      const env = { HOME: home, MCP_LIVE_CONFIG: join(root, "named.json"), MCP_LIVE_HOME: "" }
      const places = [
        env.MCP_LIVE_CONFIG,
        join(cwd, "openclaw.json"),
        join(cwd, "mcp-live.json"),
        join(home, ".mcp-live", "openclaw.json"),
        join(home, ".openclaw", "openclaw.json")
      ]
      for (const place of places) yield* put(place, SERVER)
      for (const place of places) {
        const { MCP_LIVE_CONFIG, ...rest } = env
        const found = yield* load({ cwd, env: place === MCP_LIVE_CONFIG ? env : rest })
        assert.strictEqual(found.file, place)
        yield* Effect.promise(() => rm(place))
      }
    })
  )

  it.effect("MCP_LIVE_HOME takes the place of ~/.mcp-live", () =>
    Effect.gen(function* () {
      const { cwd, home, root } = yield* workspace
      yield* put(join(home, ".mcp-live", "openclaw.json"), SERVER)
      yield* put(join(root, "data", "openclaw.json"), SERVER)
      const found = yield* load({ cwd, env: { HOME: home, MCP_LIVE_HOME: "../data" } })
      assert.strictEqual(found.file, join(root, "data", "openclaw.json"))
    })
  )

  it.effect("when nothing is found it says where it looked and what to do", () =>
    Effect.gen(function* () {
      const { cwd, home } = yield* workspace
      const message = yield* problem({ cwd, env: { HOME: home } })
      assert.strictEqual(
        message,
        "no configuration found: looked for openclaw.json, mcp-live.json, " +
          `${home}/.mcp-live/openclaw.json, ${home}/.openclaw/openclaw.json; ` +
          "'mcp-live init' makes one, or name a file with --config or MCP_LIVE_CONFIG"
      )
    })
  )

  it.effect("a file that is named but missing is an error, never passed over for another", () =>
    Effect.gen(function* () {
      const { cwd, home } = yield* workspace
      yield* put(join(cwd, "openclaw.json"), SERVER)
      assert.strictEqual(yield* problem({ path: "other.json", cwd, env: {} }), "other.json: there is no such file")
      assert.strictEqual(
        yield* problem({ cwd, env: { HOME: home, MCP_LIVE_CONFIG: "other.json" } }),
        `${cwd}/other.json: there is no such file; MCP_LIVE_CONFIG names it`
      )
      assert.strictEqual(
        yield* problem({ path: "openclaw.json/x", cwd, env: {} }),
        "openclaw.json/x: there is no such file"
      )
    })
  )

  it.effect("reads the file again at each load", () =>
    Effect.gen(function* () {
      const { cwd } = yield* workspace
      yield* put(join(cwd, "openclaw.json"), SERVER)
      const layer = ConfigSourceLive.layer({ cwd, env: {} })
      yield* Effect.gen(function* () {
        const source = yield* ConfigSource
        assert.strictEqual((yield* source.load).agents[0]?.servers[0]?.name, "x")
        yield* put(join(cwd, "openclaw.json"), SERVER.replace("x:", "y:"))
        assert.strictEqual((yield* source.load).agents[0]?.servers[0]?.name, "y")
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("problems in the file name file, line and key, one line each", () =>
    Effect.gen(function* () {
      const { cwd, home } = yield* workspace
      const text = '{ mcpServers: {\n fs: { comand: "node" },\n web: { url: "https://a.example", timeout: "5s" }\n} }'
      yield* put(join(cwd, "sub", "a.json"), text)
      const lines = [
        'mcpServers.fs.comand: unknown key, did you mean "command"?',
        'mcpServers.web.timeout: must be a positive number of milliseconds, is "5s"'
      ] as const
      assert.strictEqual(
        yield* problem({ path: "sub/a.json", cwd, env: {} }),
        `sub/a.json:2: ${lines[0]}\nsub/a.json:3: ${lines[1]}`
      )
      assert.strictEqual(
        yield* problem({ path: join(cwd, "sub", "a.json"), cwd: home, env: {} }),
        `${cwd}/sub/a.json:2: ${lines[0]}\n${cwd}/sub/a.json:3: ${lines[1]}`
      )
      yield* put(join(cwd, "b.json"), "{\n  a: 1\n  b: 2\n}")
      assert.strictEqual(
        yield* problem({ path: "b.json", cwd, env: {} }),
        "b.json:3: syntax error: unexpected character 'b' at column 3"
      )
    })
  )

  it.effect("relative paths in the file count from its directory, variables come from the given environment", () =>
    Effect.gen(function* () {
      const { cwd, home, root } = yield* workspace
      const text = `{ mcpServers: { x: { command: "./run", cwd: "..", args: ["\${V}", "~/a"] } } }`
      yield* put(join(cwd, "sub", "a.json"), text)
      const config = yield* load({ path: "sub/a.json", cwd, env: { HOME: home, V: "v" } })
      assert.deepStrictEqual(config.agents[0]?.servers[0]?.launch, {
        kind: "stdio",
        command: join(cwd, "run"),
        args: ["v", join(home, "a")],
        env: {},
        cwd
      })
      assert.isTrue(cwd.startsWith(root))
    })
  )

  describe("a file that cannot be used is told plainly", () => {
    const cases: ReadonlyArray<readonly [what: string, prepare: (file: string) => Promise<unknown>, message: string]> =
      [
        ["a directory", (file) => mkdir(file), "is a directory, not a file"],
        ["an empty file", (file) => writeFile(file, ""), "is empty"],
        ["a list", (file) => writeFile(file, "[]"), "must be an object at the top, is a list"],
        [
          "a huge file",
          (file) => writeFile(file, Buffer.alloc(10 * 2 ** 20, " ")),
          "is too large for a configuration: 10.0 MiB; at most 4.0 MiB are read"
        ],
        [
          "NUL bytes",
          (file) => writeFile(file, "{ a: 1 }\n\0"),
          "contains NUL bytes: is it a text file, saved as UTF-8?"
        ],
        ["UTF-16", (file) => writeFile(file, Buffer.from("\ufeff{}", "utf16le")), "is not UTF-8 text"],
        ["a broken byte", (file) => writeFile(file, Buffer.from([0x7b, 0xff, 0x7d])), "is not UTF-8 text"],
        ["a pipe, which would block", async (file) => execFileSync("mkfifo", [file]), "is not a regular file"],
        ["a circle of links", (file) => symlink(file, file), "cannot be read: its symbolic links lead in a circle"]
      ]
    for (const [what, prepare, message] of cases) {
      it.effect(what, () =>
        Effect.gen(function* () {
          const { cwd } = yield* workspace
          yield* Effect.promise(() => prepare(join(cwd, "openclaw.json")))
          const found = yield* problem({ path: "openclaw.json", cwd, env: {} })
          assert.strictEqual(found.replace(/^openclaw\.json(:\d)?: /, ""), message)
          // Found by searching, it is not passed over either.
          assert.strictEqual(yield* problem({ cwd, env: {} }), found)
        })
      )
    }

    it.effect.skipIf(process.getuid?.() === 0)("without permission", () =>
      Effect.gen(function* () {
        const { cwd } = yield* workspace
        yield* put(join(cwd, "a.json"), SERVER)
        yield* Effect.promise(() => chmod(join(cwd, "a.json"), 0))
        assert.strictEqual(
          yield* problem({ path: "a.json", cwd, env: {} }),
          "a.json: cannot be read: permission denied"
        )
      })
    )

    it.effect("a name that no file can have", () =>
      Effect.gen(function* () {
        const { cwd } = yield* workspace
        assert.match(yield* problem({ path: "a\0b", cwd, env: {} }), /: cannot be read \(ERR_INVALID_ARG_VALUE\)$/)
        assert.match(yield* problem({ path: "x".repeat(5000), cwd, env: {} }), /: cannot be read \(ENAMETOOLONG\)$/)
      })
    )

    it.effect("one byte below the limit is read", () =>
      Effect.gen(function* () {
        const { cwd } = yield* workspace
        yield* put(join(cwd, "a.json"), SERVER.padEnd(CONFIG_MAX_BYTES, " "))
        assert.strictEqual((yield* load({ path: "a.json", cwd, env: {} })).agents.length, 1)
      })
    )
  })
})

describe("the example", () => {
  const examples = fileURLToPath(new URL("../../../examples/", import.meta.url))

  it.effect("is valid, without warnings, and runs from the project's own dependencies", () =>
    Effect.gen(function* () {
      const config = yield* load({ path: join(examples, "openclaw.json"), env: { HOME: "/home/ada" } })
      assert.deepStrictEqual(config.warnings, [])
      const servers = config.agents[0]?.servers ?? []
      assert.deepStrictEqual(
        servers.map(({ name }) => name),
        ["everything", "filesystem", "memory"]
      )
      for (const { launch } of servers) {
        assert(launch.kind === "stdio")
        assert.strictEqual(launch.command, "node")
        assert.strictEqual(launch.cwd, dirname(examples))
        const script = yield* Effect.promise(() => realpath(join(launch.cwd!, launch.args[0]!)))
        assert.match(script, /server-\w+\/dist\/index\.js$/)
      }
    })
  )
})

describe("ConfigSource.layerObject", () => {
  it.effect("takes a value in any of the shapes, members that are undefined count as left away", () =>
    Effect.gen(function* () {
      const value = { mcpServers: { x: { command: "./${C}", env: { A: undefined } } }, mcp: undefined }
      const config = yield* loadObject(value, { cwd: "/srv", env: { C: "run" } })
      assert.deepInclude(config.agents[0]?.servers[0]?.launch, { kind: "stdio", command: "/srv/run" })
    })
  )

  it.effect("warns of paths of a sandbox that do not exist", () =>
    Effect.gen(function* () {
      const filesystem = { read: ["/", "/nowhere/a"], write: ["nowhere-either"] }
      const entry = (enabled: boolean) => ({ mcpServers: { x: { command: "a", sandbox: { filesystem }, enabled } } })
      const { warnings } = yield* loadObject(entry(true), { cwd: "/" })
      assert.deepStrictEqual(
        warnings.map(({ message, path }) => `${path}: ${message}`),
        ["read[1]", "write[0]"].map(
          (key) =>
            `mcpServers.x.sandbox.filesystem.${key}: names a path that does not exist: the server cannot start without it`
        )
      )
      assert.isEmpty((yield* loadObject(entry(false), { cwd: "/" })).warnings)
    })
  )

  it.effect("reads only what the value itself has, not what it inherits", () =>
    Effect.gen(function* () {
      const value: unknown = Object.create({ mcpServers: { x: { command: "a" } } })
      assert.deepStrictEqual((yield* loadObject(value)).agents[0]?.servers, [])
    })
  )

  it.effect("names keys, and no line, in its errors", () =>
    Effect.gen(function* () {
      const error = yield* loadObject({ mcpServers: { x: { command: 1 } } }).pipe(Effect.flip)
      assert.deepStrictEqual(error.issues, [
        {
          file: "configuration",
          line: 0,
          path: "mcpServers.x.command",
          message: "must be a string that is not empty, is a number"
        }
      ])
      assert.strictEqual(
        (yield* loadObject(undefined).pipe(Effect.flip)).message,
        "configuration: must be an object at the top, is undefined"
      )
    })
  )
})

describe("ConfigSource.layerFrom", () => {
  it.effect("gives the configuration that it got", () =>
    Effect.gen(function* () {
      const config = yield* Effect.gen(function* () {
        return yield* (yield* ConfigSource).load
      }).pipe(Effect.provide(ConfigSourceLive.layerObject({ mcpServers: { x: { command: "a" } } })))
      const again = yield* Effect.gen(function* () {
        return yield* (yield* ConfigSource).load
      }).pipe(Effect.provide(ConfigSourceLive.layerFrom(config)), Effect.result)
      assert.strictEqual(Result.getOrThrow(again), config)
    })
  )
})
