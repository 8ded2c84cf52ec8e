/** The report of `mcp-live doctor`: what is in it, and that no secret is. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { userInfo } from "node:os"
import { join } from "node:path"
import { inFolder } from "../support/folder.ts"
import { listening, setUp } from "./diagnosed.ts"
import { runHere } from "./here.ts"
import { start } from "./program.ts"

describe("a report of mcp-live doctor", () => {
  const CANARY = "cnry7Zk2"
  const SCRIPT = `
    console.error("from env", process.env.TOKEN, process.env.FROM_FILE)
    console.error("from arguments", ...process.argv.slice(1))
    setTimeout(() => process.exit(1), 50)`

  const setUpCanaries = Effect.gen(function* () {
    const folder = yield* inFolder
    const file = join(folder, "a.secret")
    writeFileSync(file, `${CANARY}-file-0001`, { mode: 0o600 })
    const port = yield* listening(createHttpServer((_, response) => response.writeHead(401).end(`${CANARY}-body`)))
    return yield* setUp({
      local: {
        command: process.execPath,
        args: ["-e", SCRIPT, `${CANARY}-arg-0002`, "--key", `${CANARY}-arg-0003`, `--token=${CANARY}-arg-0004`],
        env: { TOKEN: `${CANARY}-env-0005`, FROM_FILE: `secret://file${file}` }
      },
      remote: {
        url: `http://127.0.0.1:${port}/s/${CANARY}-path-0006/mcp?key=${CANARY}-query-0007`,
        headers: { "X-Key": `${CANARY}-header-0008`, Authorization: `Bearer ${CANARY}-header-0009` }
      }
    })
  })

  it.live("holds no secret, no home and no user, and only its user can read it", () =>
    Effect.gen(function* () {
      const { doctor, home } = yield* setUpCanaries
      for (const name of ["report.txt", "report.json"]) {
        const file = join(home, name)
        const { code, stderr, stdout } = yield* doctor(["--report", file])
        assert.strictEqual(code, 1, stderr)
        assert.include(stderr, `${file} is written. In it: versions`)
        assert.include(stderr, "Read this file before you send it")
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        const text = readFileSync(file, "utf8")
        assert.notInclude(text, CANARY, name)
        // The person who looks knows the arguments.
        assert.notMatch(stdout + stderr, new RegExp(`${CANARY}-(?:env|file|query|header)`))
        assert.notInclude(text, home)
        assert.include(text, "from arguments")
        for (const word of ["Versions", "mcp-live", "server-down", "X-Key", "FROM_FILE"]) assert.include(text, word)
        if (userInfo().username.length > 4) assert.notMatch(text, new RegExp(`\\b${userInfo().username}\\b`))
      }
      JSON.parse(readFileSync(join(home, "report.json"), "utf8"))
      const again = yield* doctor(["--offline", "--report", join(home, "report.txt")])
      assert.include(again.stderr, "cannot be written")
      // Said before anything is looked at.
      assert.strictEqual(again.stdout, "")
    }).pipe(Effect.scoped)
  )

  it.live("is not written if a secret is where nothing can be masked", () =>
    Effect.gen(function* () {
      const { doctor, home } = yield* setUp({ odd: { command: "true", env: { TOKEN: "Last lines of the log" } } })
      const file = join(home, "report.txt")
      const { code, stderr } = yield* doctor(["--offline", "--report", file])
      assert.strictEqual(code, 1)
      assert.include(stderr, "it would hold a secret")
      assert.isFalse(existsSync(file))
    }).pipe(Effect.scoped)
  )

  it.live("has a name of its own, if none is given", () =>
    Effect.gen(function* () {
      const { env, home } = yield* setUp({})
      const { stderr } = yield* runHere(["doctor", "--offline", "--report"], { env, cwd: home })
      const [, name] = /(mcp-live-report-\d{8}T\d{6}\.txt) is written/.exec(stderr) ?? []
      assert.include(readFileSync(join(home, name!), "utf8"), "## Versions")
    }).pipe(Effect.scoped)
  )

  it.live("holds none of what a running gateway logged, either", () =>
    Effect.gen(function* () {
      const { config, doctor, env, home } = yield* setUpCanaries
      const running = yield* start(["start", "--config", config], { env })
      // Only then there is something that could be in it.
      yield* running.until(/\[local\] from arguments/)
      const file = join(home, "report.txt")
      yield* doctor(["--report", file])
      assert.notInclude(readFileSync(file, "utf8"), CANARY)
    }).pipe(Effect.scoped)
  )
})
