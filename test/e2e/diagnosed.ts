/** Runs `mcp-live doctor` in a home of its own, and gives what it found. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import type { AddressInfo, Server } from "node:net"
import { dirname, join } from "node:path"
import { runHere } from "./here.ts"
import { configFile } from "./program.ts"

interface Found {
  readonly id: string
  readonly severity: string
  readonly server: string | null
  readonly what: string
  readonly mend: string
  readonly fixable: boolean
}
export interface Document {
  readonly ok: boolean
  readonly gateway: number | null
  readonly servers: ReadonlyArray<{ readonly name: string; readonly state: string | null }>
  readonly findings: ReadonlyArray<Found>
  readonly fixed: ReadonlyArray<{ readonly id: string; readonly done: boolean }>
}

/** A home and a data directory of its own, and a configuration with these servers. */
export const setUp = Effect.fnUntraced(function* (servers: unknown, more: object = {}, clients?: object) {
  const config = yield* configFile({ mcp: { servers, ...(clients === undefined ? {} : { clients }) }, ...more })
  const home = dirname(config)
  const data = join(home, "data")
  mkdirSync(data, { mode: 0o700 })
  const env: Record<string, string> = { HOME: home, MCP_LIVE_HOME: data, CI: "", HTTPS_PROXY: "", HTTP_PROXY: "" }
  const doctor = (args: ReadonlyArray<string> = [], variables: Record<string, string> = {}) =>
    runHere(["doctor", "--config", config, ...args], { env: { ...env, ...variables } })
  const diagnosed = (args: ReadonlyArray<string> = [], variables: Record<string, string> = {}) =>
    Effect.map(doctor([...args, "--json"], variables), ({ code, stderr, stdout }) => {
      assert.notStrictEqual(stdout, "", stderr)
      const document = JSON.parse(stdout) as Document
      const one = (id: string) => document.findings.find((finding) => finding.id === id)
      return { code, stderr, stdout, document, one, ids: document.findings.map(({ id }) => id) }
    })
  return { config, home, data, env, doctor, diagnosed }
})

export const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => void server.close())
  )

export const program = (folder: string, name: string, lines: string, interpreter = "/bin/sh") => {
  const file = join(folder, name)
  writeFileSync(file, `#!${interpreter}\n${lines}\n`)
  chmodSync(file, 0o755)
}

export const inBin = (home: string) => {
  const bin = join(home, "bin")
  mkdirSync(bin, { recursive: true })
  return bin
}
