/** `reload`, `plan` and `status` beside a running gateway, as a person uses them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { shell } from "../fixtures/servers.ts"
import { runHere } from "./here.ts"
import { configFile, run, start } from "./program.ts"

const one = (more: object = {}) => ({ ...shell(), ...more })
const mcp = (servers: object, more: object = {}) => ({ mcp: { servers, reload: { watch: false }, ...more } })

const setUp = Effect.fnUntraced(function* (config: object) {
  const file = yield* configFile(config)
  const env = { MCP_LIVE_HOME: join(dirname(file), "data") }
  const command = (...args: ReadonlyArray<string>) => runHere([...args, "--config", file], { env })
  const program = (...args: ReadonlyArray<string>) => run([...args, "--config", file], { env })
  const gateway = Effect.gen(function* () {
    const running = yield* start(["start", "--config", file], { env })
    yield* running.until(/one .*Ready/)
    return running
  })
  return {
    command,
    program,
    gateway,
    edit: (next: unknown) => Effect.sync(() => writeFileSync(file, JSON.stringify(next)))
  }
})

describe.skipIf(process.platform === "win32")("commands about the configuration of a running gateway", () => {
  it.live("show what an edit would change, apply it, and say what it did", () =>
    Effect.gen(function* () {
      const { command, edit, gateway, program } = yield* setUp(mcp({ one: one(), two: one() }))
      yield* gateway
      yield* edit(mcp({ one: one({ tools: { exclude: ["sh"] } }), two: one({ env: { A: "1" } }), three: one() }))
      const plan = yield* program("plan")
      assert.strictEqual(plan.code, 0)
      assert.match(plan.stderr, /its configuration has changed since it was read/)
      assert.match(plan.stdout, /one: Ready, \d+ of \d+ tools, \d+ tokens/)
      const words = plan.stdout.slice(plan.stdout.indexOf("The file has changed"))
      assert.strictEqual(
        words,
        [
          "The file has changed. Applied now, it would:",
          "  restart:",
          "    two",
          "  start:",
          "    three",
          "  change in place:",
          "    tools of server one",
          "  tools that disappear:",
          "    mcp_one_sh\n"
        ].join("\n")
      )
      const reload = yield* program("reload")
      assert.strictEqual(reload.stdout, "restart: two\nstart: three\nchange in place: tools of server one\n")
      assert.strictEqual((yield* command("reload")).stdout, "Nothing has changed.\n")
      const after = yield* command("plan", "--wait")
      assert.notInclude(after.stdout, "The file has changed")
      assert.notInclude(after.stderr, "has changed")
      assert.match(after.stdout, /^ {2}- +\d+ {2}mcp_one_sh {2}denied \(tools\.exclude: one\/sh\)$/m)
      assert.isTrue(after.stdout.split("\n").every((line) => line.length <= 120))
    }).pipe(Effect.scoped)
  )

  it.live("say why a file cannot be used, and what needs a restart", () =>
    Effect.gen(function* () {
      const { command, edit, gateway } = yield* setUp(mcp({ one: one() }))
      yield* gateway
      yield* edit("{ broken")
      const reload = yield* command("reload")
      assert.strictEqual(reload.code, 2)
      assert.match(reload.stderr, /the configuration cannot be used; the previous one stays in effect:/)
      const status = yield* command("status")
      assert.strictEqual(status.code, 0)
      assert.match(status.stderr, /the previous one stays in effect: .*openclaw\.json/)
      const { configuration } = JSON.parse((yield* command("status", "--json")).stdout)
      assert.match(configuration.fault, /openclaw\.json/)
      assert.match((yield* command("plan")).stdout, /the previous one stays in effect:/)
      const json = yield* command("reload", "--json")
      assert.deepInclude(JSON.parse(json.stdout).error, { tag: "ConfigError" })
      yield* edit(mcp({ one: one() }, { serve: { isolate: "session" } }))
      assert.strictEqual((yield* command("reload")).stdout, "need a restart of the gateway: serve\n")
      for (const one of ["status", "reload"]) {
        const { stderr } = yield* command(one)
        assert.match(stderr, /changed, but needs a restart of the gateway: serve/, one)
      }
    }).pipe(Effect.scoped)
  )

  it.live("say that a file is gone, also where it was not named", () =>
    Effect.gen(function* () {
      const file = yield* configFile(mcp({ one: one() }))
      const env = { MCP_LIVE_HOME: join(dirname(file), "data"), HOME: dirname(file) }
      const options = { env, cwd: dirname(file) }
      const running = yield* start(["start"], options)
      yield* running.until(/one .*Ready/)
      rmSync(file)
      const reload = yield* runHere(["reload"], options)
      assert.strictEqual(reload.code, 2)
      assert.match(reload.stderr, /the previous one stays in effect:\n.*no configuration found/)
      const status = yield* runHere(["status"], options)
      assert.match(status.stdout, /one .*Ready/)
      assert.match(status.stderr, /the previous one stays in effect: no configuration found/)
    }).pipe(Effect.scoped)
  )

  it.live("at the prompt, what was added to the file can be called, and what was denied cannot", () =>
    Effect.gen(function* () {
      const { edit, gateway } = yield* setUp({ mcp: { servers: { one: one() } } })
      const running = yield* gateway
      running.type("/call one/echo text=first-answer")
      yield* running.until(/first-answer/)
      yield* edit({ gateway: { tools: { deny: ["one/echo"] } }, mcp: { servers: { one: one(), two: one() } } })
      yield* running.until(/\[two\] ready/)
      running.type("/call two/echo text=second-answer")
      yield* running.until(/second-answer/)
      running.type("/call one/echo text=third-answer")
      yield* running.until(/No tool is called 'one\/echo'/)
      running.end()
      assert.strictEqual((yield* running.exited).code, 1)
    }).pipe(Effect.scoped)
  )

  it.live("without a gateway: plan starts the servers, reload says that none runs", () =>
    Effect.gen(function* () {
      const off = one({ enabled: false })
      const agents = { agents: { list: [{ id: "main" }, { id: "other", tools: { deny: ["one/*"] } }] } }
      const { command } = yield* setUp({ ...agents, ...mcp({ off, one: one() }) })
      const plan = yield* command("plan", "--json")
      assert.strictEqual(plan.code, 0)
      const { plan: planned } = JSON.parse(plan.stdout)
      assert.strictEqual(planned.agent, "main")
      assert.deepInclude(planned.servers[0], { name: "off", state: "Disabled", tools: [] })
      const sum = planned.servers[1].tools.reduce((all: number, { tokens }: { tokens: number }) => all + tokens, 0)
      assert.strictEqual(planned.servers[1].tokens, sum)
      const other = JSON.parse((yield* command("plan", "--agent", "other", "--json")).stdout).plan
      assert.strictEqual(other.agent, "other")
      assert.isTrue(other.servers[1].tools.every(({ state }: { state: string }) => state === "denied"))
      assert.strictEqual(other.servers[1].tokens, 0)
      assert.strictEqual((yield* command("plan", "--agent", "nobody")).code, 2)
      assert.strictEqual((yield* command("reload")).code, 1)
    }).pipe(Effect.scoped)
  )
})
