/** A PostgreSQL server of the benchmark (scripts/postgres.mjs), for as long as this process lives. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { execFileSync, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const SCRIPT = fileURLToPath(new URL("../../scripts/postgres.mjs", import.meta.url))

/** Why there can be no server on this machine; empty if there can be one. */
export const missingPostgres = (): string => execFileSync(process.execPath, [SCRIPT, "--check"], { encoding: "utf8" })

export interface Postgres {
  /** The address of a database, with its user and password. */
  readonly url: (database: string) => string
  readonly tell: (command: "stop" | "start") => Promise<void>
}

export const startPostgres = async (): Promise<Postgres> => {
  // It ends with its stdin, which ends with this process.
  const child = spawn(process.execPath, [SCRIPT], { stdio: ["pipe", "pipe", "ignore"] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`PostgreSQL did not start, or has ended: ${missingPostgres()}`)
    return value
  }
  const { password, port } = JSON.parse(await next()) as { readonly port: number; readonly password: string }
  return {
    url: (database) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`,
    tell: async (command) => {
      child.stdin.write(`${command}\n`)
      const answer = await next()
      if (answer !== "ok") throw new Error(`postgres ${command}: ${answer}`)
    }
  }
}

/** Runs a statement with a connection of its own. */
export const queryAt = (url: string, statement: string): Promise<ReadonlyArray<Record<string, unknown>>> =>
  PgConnection.make({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((connection) => connection.query(statement)),
    Effect.map(({ rows }) => rows as ReadonlyArray<Record<string, unknown>>),
    Effect.scoped,
    Effect.runPromise
  )

/** A new, empty database: its address. */
export const newDatabase = async ({ url }: Postgres, name: string): Promise<string> => {
  await queryAt(url("postgres"), `create database ${name}`)
  return url(name)
}
