/** How the README says that mcp-live is installed: `npm pack`, and its tarball in an empty folder or globally, by npm itself. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { serverPath } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"
import { npmRegistry } from "../support/npmRegistry.ts"

const PROJECT = fileURLToPath(new URL("../../", import.meta.url))
const { version } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as { readonly version: string }
const readme = readFileSync(join(PROJECT, "README.md"), "utf8")

interface Done {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

const typed = (command: string, args: ReadonlyArray<string>, cwd: string, env: Record<string, string>) =>
  Effect.promise(
    () =>
      new Promise<Done>((resolve) => {
        execFile(command, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : (error.code ?? "killed"), stdout, stderr })
        )
      })
  )

/** A user with npm and a home in which nothing is. */
const user = Effect.gen(function* () {
  const place = yield* inFolder
  for (const each of ["home", "project"]) mkdirSync(join(place, each))
  const registry = yield* npmRegistry(place)
  const env = {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    HOME: join(place, "home"),
    NO_COLOR: "1",
    npm_config_registry: registry.url,
    npm_config_cache: join(place, "cache"),
    npm_config_prefix: join(place, "prefix"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false"
  }
  const project = join(place, "project")
  const run = (command: string, ...args: ReadonlyArray<string>) => typed(command, args, project, env)
  const well = (command: string, ...args: ReadonlyArray<string>) =>
    Effect.map(run(command, ...args), (done) => {
      assert.strictEqual(done.code, 0, `${command} ${args.join(" ")}\n${done.stdout}\n${done.stderr}`)
      return done.stdout
    })
  const npm = (cwd: string, ...args: ReadonlyArray<string>) =>
    Effect.map(typed("npm", args, cwd, env), (done) => {
      assert.strictEqual(done.code, 0, `npm ${args.join(" ")}\n${done.stdout}\n${done.stderr}`)
      return done.stdout.trim()
    })
  return { place, project, registry, run, well, npm }
})

/** npm unpacks 200 MB, twice. */
const PATIENT_MS = 600_000

describe.skipIf(process.platform === "win32")("the tarball of `npm pack`", () => {
  it.live(
    "gives the command and the library to a user who has nothing else of this project",
    () =>
      Effect.gen(function* () {
        const { npm, place, project, registry, run, well } = yield* user
        // It was built before the tests, as `npm ci` does it.
        const packed = yield* npm(PROJECT, "pack", "--ignore-scripts", "--silent", "--pack-destination", place)
        assert.include(readme, `npm install --global ./${packed}`)
        const tarball = join(place, packed)

        yield* npm(project, "install", "--global", tarball)
        const command = join(place, "prefix/bin/mcp-live")
        assert.strictEqual((yield* well(command, "--version")).trim(), `mcp-live v${version}`)
        writeFileSync(join(project, "README.md"), "words of the user")
        const files = { command: process.execPath, args: [serverPath("filesystem"), "."] }
        writeFileSync(join(project, "openclaw.json"), JSON.stringify({ mcp: { servers: { files } } }))
        assert.include(yield* well(command, "validate"), "is valid")
        const called = yield* well(command, "call", "files/read_text_file", "path=README.md", "--raw")
        assert.strictEqual(called, "words of the user\n")
        writeFileSync(join(project, "wrong.json"), JSON.stringify({ mcp: { servers: { files: { comand: "x" } } } }))
        const wrong = yield* run(command, "validate", "--config", "wrong.json")
        assert.strictEqual(wrong.code, 2)
        assert.include(wrong.stderr, "comand")
        // What it reads besides its code.
        assert.match(yield* well(command, "schema"), /"\$schema"/)

        writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
        yield* npm(project, "install", tarball)
        const program = /```js\n(import \{ loadMCPServers \}[^]*?)```/.exec(readme)![1]!
        const ours = program.replace(
          `command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."]`,
          `command: process.execPath, args: [${JSON.stringify(serverPath("filesystem"))}, "."]`
        )
        assert.notStrictEqual(ours, program)
        writeFileSync(join(project, "program.js"), `${ours}\nconsole.log(JSON.stringify(result))\n`)
        const result = JSON.parse(yield* well(process.execPath, "program.js")) as {
          readonly isError: boolean
          readonly content: ReadonlyArray<{ readonly text: string }>
        }
        assert.isFalse(result.isError)
        assert.include(result.content[0]!.text, "words of the user")
        assert.include(yield* well("npx", "mcp-live", "--version"), version)

        const at = (path: string) => join(project, "node_modules/mcp-live", path)
        for (const path of ["LICENSE", "CHANGELOG.md", "docs/commands.md", "deploy", "examples/openclaw.json"]) {
          assert.isTrue(existsSync(at(path)), path)
        }
        for (const path of ["src", "test", "scripts", "bench", "node_modules", "docs/page"]) {
          assert.isFalse(existsSync(at(path)), path)
        }
        assert.deepStrictEqual(registry.missing, [])
      }).pipe(Effect.scoped),
    PATIENT_MS
  )
})
