/** The program as clients meet it: started by one of them, or listening on a port of its own choice. */
import { MAIN } from "../../support/built.ts"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { serverPath, type RealServer } from "../../fixtures/servers.ts"
import { heardText, type HeardText } from "../../support/heardText.ts"
import { connect, type Answers, type Era, type TestClient } from "../../support/mcpClients.ts"
import { inFolder as folder } from "../../support/folder.ts"

export { inFolder as folder } from "../../support/folder.ts"

/** A value where objects of any form are looked into. */
export type Loose = ReturnType<typeof JSON.parse>

/** A real server, with what else its configuration says. */
export const real = (name: RealServer, args: ReadonlyArray<string> = [], more: object = {}) => ({
  command: process.execPath,
  args: [serverPath(name), ...args],
  ...more
})

export interface Place {
  readonly file: string
  /** The data directory. */
  readonly home: string
}

export const placeFor = Effect.fnUntraced(function* (config: unknown): Effect.fn.Return<Place, never, Scope.Scope> {
  const place = yield* folder
  const file = join(place, "mcp.json")
  writeFileSync(file, JSON.stringify(config))
  return { file, home: join(place, "home") }
})

/** The program as a client at its stdin starts it. */
export const launched = (
  { file, home }: Place,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
) => ({
  command: "/usr/bin/env",
  args: [
    `MCP_LIVE_HOME=${home}`,
    ...Object.entries(env).map((pair) => pair.join("=")),
    process.execPath,
    MAIN,
    "serve",
    "--config",
    file,
    ...args
  ]
})

const closing = (client: Promise<TestClient>) =>
  Effect.acquireRelease(
    Effect.promise(() => client),
    (made) => Effect.promise(() => made.close())
  )

/** A client that starts the program. */
export const overStdio = (
  era: Era,
  place: Place,
  answers?: Answers,
  args?: ReadonlyArray<string>,
  env?: Readonly<Record<string, string>>
) => closing(connect(era, launched(place, args, env), answers))

/** It has ended instead; what it said is the message. */
export class NotListening extends Data.TaggedError("NotListening")<{ readonly message: string }> {}

export interface Listening {
  readonly url: string
  readonly pid: number
  readonly stderr: () => string
  /** Returns once stderr matches. */
  readonly logged: HeardText["logged"]
  /** Ends it, and returns with its exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** The program on a port; it is killed with the Scope if it is still there. */
export const listening = (
  { file, home }: Place,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
) => listeningTo(home, ["--config", file, "--http", "0", ...args], env)

/** The same for a command line that names no configuration; `descriptors`: so many files may be open at once. */
export const listeningTo = Effect.fnUntraced(function* (
  home: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  descriptors?: number
): Effect.fn.Return<Listening, NotListening, Scope.Scope> {
  const limited = descriptors === undefined ? "" : `ulimit -n ${descriptors}; `
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("/bin/sh", ["-c", `${limited}exec "$@"`, "sh", process.execPath, MAIN, "serve", ...args], {
        env: { ...process.env, MCP_LIVE_HOME: home, ...env },
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve))
  const log = heardText()
  const url = yield* Effect.tryPromise({
    try: () =>
      new Promise<string>((resolve, reject) => {
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          log.hear(text)
          const [, found] = /serving MCP at (\S+)/.exec(log.text()) ?? []
          if (found !== undefined) resolve(found)
        })
        void exited.then(() => reject(new NotListening({ message: log.text() })))
      }),
    catch: (error) => error as NotListening
  })
  return {
    url,
    pid: child.pid!,
    stderr: log.text,
    logged: log.logged,
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return exited
    }
  }
})

/** A client on a port. */
export const overHttp = (era: Era, url: string, token: string, answers?: Answers) =>
  closing(connect(era, { url, token }, answers))
