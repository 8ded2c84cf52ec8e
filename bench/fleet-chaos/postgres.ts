/** A PostgreSQL server of the run (scripts/postgres.mjs), which is stopped, started, frozen and thawed. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { ownPort } from "./ports.ts"

const SCRIPT = fileURLToPath(new URL("../../scripts/postgres.mjs", import.meta.url))

export type Command = "stop" | "start" | "freeze" | "thaw"

export interface Postgres {
  /** The address of the run's database, with its user and password. */
  readonly url: string
  readonly tell: (command: Command) => Promise<void>
  readonly query: (statement: string) => Promise<ReadonlyArray<Record<string, unknown>>>
  readonly close: () => Promise<void>
}

const queryAt = (url: string, statement: string) =>
  Effect.runPromise(
    PgConnection.make({ url: Redacted.make(url) }).pipe(
      Effect.flatMap((connection) => connection.query(statement, [])),
      Effect.map(({ rows }) => rows as ReadonlyArray<Record<string, unknown>>),
      Effect.scoped,
      Effect.orDie
    )
  )

export const startPostgres = async (): Promise<Postgres> => {
  const child = spawn(process.execPath, [SCRIPT, "--port", String(await ownPort())], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error("PostgreSQL did not start, or has ended")
    return value
  }
  const { password, port } = JSON.parse(await next()) as { readonly port: number; readonly password: string }
  const at = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
  const url = at("chaos")
  await queryAt(at("postgres"), "create database chaos")
  return {
    url,
    tell: async (command) => {
      child.stdin.write(`${command}\n`)
      const answer = await next()
      if (answer !== "ok") throw new Error(`postgres ${command}: ${answer}`)
    },
    query: (statement) => queryAt(url, statement),
    close: async () => {
      const closed = once(child, "close")
      child.stdin.end()
      await closed
    }
  }
}
