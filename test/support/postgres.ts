/**
 * Real PostgreSQL servers for tests (scripts/postgres.mjs): one for the worker, in which each test has a database of its own, and others
 * that a test stops, kills or freezes. Where there is none, tests are skipped and a line says why; with REQUIRE_POSTGRES=1 they fail.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { execFileSync, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const SCRIPT = fileURLToPath(new URL("../../scripts/postgres.mjs", import.meta.url))

/** Why there can be no server on this machine; empty if there can be one. */
const missing = execFileSync(process.execPath, [SCRIPT, "--check"], { encoding: "utf8" })

/** `describe` for tests that need a server. */
export const describePostgres = (name: string, tests: () => void): void => {
  if (missing === "") return void describe(name, tests)
  if (process.env["REQUIRE_POSTGRES"] === "1") {
    return void describe(name, () => it("has a PostgreSQL server", () => assert.fail(missing)))
  }
  process.stderr.write(`skipped: ${name}: ${missing}\n`)
  describe.skip(name, tests)
}

type Command = "stop" | "start" | "kill" | "freeze" | "thaw"

export interface PostgresServer {
  readonly port: number
  /** The address of a database, with its user and password. */
  readonly url: (database: string) => string
  /** `kill`: as in a crash. `freeze`: connections stay open, and nothing answers. */
  readonly tell: (command: Command) => Effect.Effect<void>
}

interface Started {
  readonly server: PostgresServer
  readonly close: () => Promise<void>
}

/** The server ends with its stdin, so that nothing is left of a worker that was killed. */
const start = async (): Promise<Started> => {
  // Not the stderr of this worker: whoever waits for the end of that would wait for the server, too.
  const child = spawn(process.execPath, [SCRIPT], { stdio: "pipe" })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`PostgreSQL did not start, or has ended: ${said}`)
    return value
  }
  const { password, port } = JSON.parse(await next()) as { readonly port: number; readonly password: string }
  // A worker that has nothing else to do ends.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr])
    (stream as unknown as { unref?: () => void }).unref?.()
  const tell = (command: Command) =>
    Effect.promise(async () => {
      child.stdin.write(`${command}\n`)
      const answer = await next()
      if (answer !== "ok") throw new Error(`postgres ${command}: ${answer}`)
    })
  return {
    server: { port, url: (database) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`, tell },
    close: () =>
      new Promise((resolve) => {
        child.ref()
        child.once("close", () => resolve())
        child.stdin.end()
      })
  }
}

const OF_THE_WORKER = Symbol.for("mcp-live/test/postgres")
const worker = globalThis as { [OF_THE_WORKER]?: Promise<Started> }

/** The server of this worker. No test stops it. */
export const sharedPostgres: Effect.Effect<PostgresServer> = Effect.promise(
  async () => (await (worker[OF_THE_WORKER] ??= start())).server
)

/** A server for the Scope, which a test may stop. */
export const ownPostgres: Effect.Effect<PostgresServer, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(start),
  ({ close }) => Effect.promise(close)
).pipe(Effect.map(({ server }) => server))

/** Runs a statement with a connection of its own, as an operator does. */
export const queryAt = (url: string, statement: string, params: ReadonlyArray<unknown> = []) =>
  PgConnection.make({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((connection) => connection.query(statement, params)),
    Effect.map(({ rows }) => rows),
    Effect.scoped,
    Effect.orDie
  )

export interface TestDatabase {
  readonly server: PostgresServer
  readonly url: string
  /** Runs a statement past everything that is tested. */
  readonly query: (statement: string, params?: ReadonlyArray<unknown>) => ReturnType<typeof queryAt>
}

/** A new, empty database at a server: by default at that of the worker. */
export const newDatabase = (server?: PostgresServer): Effect.Effect<TestDatabase> =>
  Effect.gen(function* () {
    const at = server ?? (yield* sharedPostgres)
    const name = `test_${randomUUID().replaceAll("-", "")}`
    yield* queryAt(at.url("postgres"), `create database ${name}`)
    const url = at.url(name)
    return { server: at, url, query: (statement, params) => queryAt(url, statement, params) }
  })
