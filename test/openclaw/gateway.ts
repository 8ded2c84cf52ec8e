/**
 * One real OpenClaw gateway for all files of this project, with a home of its own that is gone afterwards, and a model that is
 * none. Where it cannot be had, a line says why, and every test is skipped; with REQUIRE_OPENCLAW set it is a failure.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { installAcpx, installMcpClients } from "../interop/install.ts"
import { alive } from "../support/alive.ts"
import { startModel } from "./model.ts"

export interface RealGateway {
  readonly url: string
  readonly token: string
  /** Of the model, which gives at `asked` what it was asked last: an array of requests, as OpenClaw wrote them. */
  readonly model: string
  /** Where its agent's files are. */
  readonly workspace: string
  /** Gone when the gateway is. */
  readonly home: string
}

/** A file in `home`: pids, one a line, of processes that must have ended when the gateway has. */
export const MUST_BE_GONE = "must-be-gone"

declare module "vitest" {
  interface ProvidedContext {
    openclaw: RealGateway | undefined
  }
}

const FOLDER = fileURLToPath(new URL("../../tools/openclaw", import.meta.url))
const PROGRAM = join(FOLDER, "node_modules/openclaw/openclaw.mjs")
const TOKEN = "a-token-of-the-tests"
const START_MS = 180_000
const LOG_MAX_CHARS = 4_000

const modified = (path: string) => (existsSync(path) ? statSync(path).mtimeMs : 0)

const install = () => {
  const isInstalled =
    modified(join(FOLDER, "node_modules/.package-lock.json")) >= modified(join(FOLDER, "package-lock.json"))
  if (isInstalled) return
  const { description } = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8")) as { description: string }
  process.stderr.write(`installing: ${description}\n`)
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: FOLDER,
    stdio: ["ignore", "ignore", "inherit"]
  })
}

/** What OpenClaw's own manifest wants; it refuses to start with less. */
const isNodeNewEnough = () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return (major === 24 && minor >= 16) || (major === 26 && minor >= 1) || major > 26
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const configOf = (port: number, workspace: string, modelUrl: string) => ({
  gateway: {
    mode: "local",
    port,
    bind: "loopback",
    auth: { mode: "token", token: TOKEN },
    controlUi: { enabled: false }
  },
  discovery: { mdns: { mode: "off" } },
  update: { checkOnStart: false },
  tools: { toolSearch: false },
  agents: { defaults: { workspace, model: { primary: "fake/fake-1" }, skipBootstrap: true } },
  models: {
    mode: "replace",
    providers: {
      fake: {
        baseUrl: modelUrl,
        apiKey: "k",
        api: "openai-completions",
        models: [
          {
            id: "fake-1",
            name: "Fake",
            reasoning: false,
            input: ["text", "image"],
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            contextWindow: 128_000,
            maxTokens: 4_096
          }
        ]
      }
    }
  }
})

/** It answers once it takes connections; whether it is ready, its answer to `connect` says. */
const untilListening = async (port: number, child: ChildProcess, log: () => string) => {
  const until = Date.now() + START_MS
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`it ended at once:\n${log()}`)
    const answers = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false
    )
    if (answers) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error(`it does not listen:\n${log()}`)
}

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGTERM")
    setTimeout(() => child.kill("SIGKILL"), 15_000).unref()
  })

const leftOf = (file: string) =>
  (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []).filter((pid) => pid !== "" && alive(Number(pid)))

export const startGateway = async (): Promise<RealGateway & { readonly stop: () => Promise<void> }> => {
  const home = mkdtempSync(join(tmpdir(), "mcp-live-openclaw-"))
  const model = await startModel()
  const port = await freePort()
  const workspace = join(home, "workspace")
  mkdirSync(workspace)
  mkdirSync(join(home, ".openclaw"))
  writeFileSync(join(home, ".openclaw/openclaw.json"), JSON.stringify(configOf(port, workspace, model.url)))
  const child = spawn(process.execPath, [PROGRAM, "gateway", "run"], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      OPENCLAW_SKIP_CHANNELS: "1",
      OPENCLAW_DISABLE_BONJOUR: "1",
      OPENCLAW_NO_RESPAWN: "1",
      OPENCLAW_EXEC_SHELL_SNAPSHOT: "0"
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let log = ""
  const keep = (piece: Buffer) => {
    log = `${log}${piece.toString("utf8")}`.slice(-LOG_MAX_CHARS)
  }
  child.stdout.on("data", keep)
  child.stderr.on("data", keep)
  const stop = async () => {
    await ended(child)
    const left = leftOf(join(home, MUST_BE_GONE))
    model.server.closeAllConnections()
    model.server.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    if (left.length > 0) throw new Error(`the gateway has left processes behind: ${left.join(", ")}`)
  }
  try {
    await untilListening(port, child, () => log)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `ws://127.0.0.1:${port}`, token: TOKEN, model: model.url, workspace, home, stop }
}

export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const skip = (why: string) => {
    const words = `the tests with OpenClaw's gateway are skipped: ${why}`
    // Where they were asked for, a skip would look as if all were well.
    if (process.env["REQUIRE_OPENCLAW"] !== undefined) throw new Error(words)
    process.stderr.write(`${words}\n`)
    project.provide("openclaw", undefined)
    return undefined
  }
  if (!isNodeNewEnough()) return skip(`it needs Node 24.16 or newer, and this is ${process.versions.node}`)
  try {
    install()
    installAcpx()
    installMcpClients()
  } catch (error) {
    return skip(`it cannot be installed (${error instanceof Error ? error.message : String(error)})`)
  }
  const { stop, ...gateway } = await startGateway()
  project.provide("openclaw", gateway)
  return stop
}
