/** One node: a process of the built program, which is killed, frozen, ended and started again. */
import { spawn, type ChildProcess } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Backend, Balancer } from "./balancer.ts"
import { makePeerGate, type PeerGate } from "./peerGate.ts"
import { ownPort } from "./ports.ts"

const PROGRAM = fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url))

export type NodeState = "down" | "starting" | "up" | "frozen" | "ending"

/** For `ps` and for whoever looks for what is left. */
export const MARKER = "MCP_LIVE_CHAOS"

export interface Plan {
  readonly name: string
  readonly folder: string
  readonly run: string
  /** The configuration of all nodes, without what is each one's own. */
  readonly config: { readonly mcp: { readonly fleet: object } & Record<string, unknown> }
  readonly balancer: Balancer
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ChaosNode {
  readonly name: string
  readonly state: () => NodeState
  readonly gate: PeerGate
  /** Done when it serves, or was killed before that; with `tries`, it fails when the node has ended by itself so many times. */
  readonly start: (tries?: number) => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly ended: () => Promise<Ended>
  /** Runs the program beside the node, as an operator does. */
  readonly command: (...args: ReadonlyArray<string>) => Promise<{ readonly code: number | null; readonly said: string }>
  /** Of a node that does not do what it should: what it does instead, into its log and its folder. */
  readonly explain: () => Promise<void>
  /** The last lines that it has said. */
  readonly log: () => ReadonlyArray<string>
}

const LOG_LINES = 400
/** A node that has not come up is started again after this time: the database may be away. */
const AGAIN_MS = 1_000
const COMMAND_WITHIN_MS = 60_000
/** Node writes a report of what it does. */
const EXPLAINS = "SIGUSR2"
const EXPLAINS_WITHIN_MS = 5_000
/** Much longer than it takes on a busy machine, while the database comes back. */
const SERVES_WITHIN_MS = 180_000

export const makeNode = async ({ balancer, config, folder, name, run }: Plan): Promise<ChaosNode> => {
  const [http, peers, gatePort] = [await ownPort(), await ownPort(), await ownPort()]
  const home = join(folder, name)
  mkdirSync(home, { recursive: true })
  const file = join(home, "openclaw.json")
  const { fleet, ...others } = config.mcp
  const gate = makePeerGate(gatePort, peers)
  const own = { name, listen: `127.0.0.1:${peers}`, advertise: gate.address }
  writeFileSync(file, JSON.stringify({ mcp: { ...others, fleet: { ...fleet, ...own } } }))
  const env = { ...process.env, MCP_LIVE_HOME: home, NO_COLOR: "1", CI: "", [MARKER]: run }
  const backend: Backend = { name, origin: `http://127.0.0.1:${http}` }
  const log: Array<string> = []
  let state: NodeState = "down"
  let child: ChildProcess | undefined
  let ended: Promise<Ended> = Promise.resolve({ code: null, signal: null })

  process.once("exit", () => child?.kill("SIGKILL"))

  const note = (text: string) => {
    for (const line of text.split("\n")) {
      if (line.trim() !== "" && !/plaintext credential/.test(line)) log.push(`${new Date().toISOString()} ${line}`)
    }
    if (log.length > LOG_LINES) log.splice(0, log.length - LOG_LINES)
  }

  const launch = async () => {
    await gate.open()
    state = "starting"
    const flags = ["--report-on-signal", `--report-signal=${EXPLAINS}`, `--report-directory=${home}`]
    const started = spawn(
      process.execPath,
      [...flags, PROGRAM, "serve", "--http", "--port", String(http), "--config", file],
      {
        env,
        stdio: ["ignore", "ignore", "pipe"],
        // What is typed at the terminal of the run is not for it.
        detached: true
      }
    )
    child = started
    let served = () => {}
    const serves = new Promise<void>((resolve) => (served = resolve))
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      note(text)
      if (/serving MCP at/.test(text)) served()
    })
    ended = new Promise((resolve) => {
      started.once("exit", (code, signal) => {
        note(`ended: ${signal ?? code}`)
        if (child === started) state = "down"
        balancer.remove(name)
        void gate.shut().then(() => resolve({ code, signal }))
      })
    })
    balancer.add(backend)
    const isLate = setTimeout(() => {
      note(`does not serve after ${SERVES_WITHIN_MS / 1_000} s`)
      started.kill("SIGKILL")
    }, SERVES_WITHIN_MS)
    const isUp = await Promise.race([serves.then(() => true), ended.then(() => false)])
    clearTimeout(isLate)
    if (isUp && state === "starting") state = "up"
    return isUp
  }

  return {
    name,
    gate,
    state: () => state,
    start: async (tries = Infinity) => {
      for (let left = tries; !(await launch()); left--) {
        if (left <= 1) throw new Error(`${name} does not start:\n${log.join("\n")}`)
        // Killed before it was up: whoever did that starts it again.
        if (child === undefined || child.signalCode !== null) return
        await delay(AGAIN_MS)
      }
    },
    signal: (signal) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      if (signal === "SIGSTOP") state = "frozen"
      if (signal === "SIGCONT" && state === "frozen") state = "up"
      if (signal === "SIGTERM") state = "ending"
      note(`gets ${signal}`)
      child.kill(signal)
    },
    ended: () => ended,
    command: (...args) =>
      new Promise((resolve) => {
        const command = spawn(process.execPath, [PROGRAM, ...args, "--config", file], {
          env,
          stdio: ["ignore", "pipe", "pipe"]
        })
        const patience = setTimeout(() => command.kill("SIGKILL"), COMMAND_WITHIN_MS)
        let said = ""
        for (const stream of [command.stdout, command.stderr]) {
          stream.setEncoding("utf8").on("data", (text: string) => (said += text))
        }
        command.once("close", (code) => {
          clearTimeout(patience)
          resolve({ code, said })
        })
      }),
    explain: async () => {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      const read = (what: string) => readFileSync(`/proc/${child?.pid}/${what}`, "utf8").trim()
      try {
        const before = read("stat")
        child.kill(EXPLAINS)
        await delay(EXPLAINS_WITHIN_MS)
        note(`does not end; its report is in ${home}\n${before}\n${read("stat")}\n${read("wchan")}`)
      } catch (error) {
        note(`cannot be looked at: ${String(error)}`)
      }
    },
    log: () => log
  }
}
