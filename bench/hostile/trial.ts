/**
 * One trial: a client in a worker of its own against a server of its own, until a hard deadline; then a count of what the
 * client left behind. Whatever was started is ended, by its pid, before the trial is over.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Target } from "./clients/subject.ts"
import type { Observation, Step } from "./observation.ts"
import { end, memoryOf, TAG, tagged } from "./processes.ts"
import type { Plan, Report } from "./worker.ts"

/** What every request and every connection attempt is allowed, whoever makes it. */
export const TIMEOUT_MS = 4_000
/** From when a worker is loaded until its client is closed. */
export const DEADLINE_MS = 20_000
/** What a client is given to end everything after its `close` has returned. */
export const LEFT_AFTER_MS = 6_000
const START_WAIT_MS = 60_000
/** A machine has other things to do: a worker that takes more is ended. */
export const MEMORY_MAX_BYTES = 2 * 1024 ** 3
const POLL_MS = 50
const LEFT_POLL_MS = 200
const LAST_LOOKS = 20
const STDERR_CHARS = 4_096

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url))
const HOME = join(tmpdir(), `mcp-live-bench-${process.pid}`)
const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), "mcp-live-bench-compile-cache") }

/** How a server is launched: over HTTP by the bench, over stdio by the client. */
export interface ServerLaunch {
  readonly transport: "stdio" | "http"
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

export interface TrialPlan extends Omit<Plan, "target" | "timeoutMs" | "beside"> {
  readonly server: ServerLaunch
  /** An honest server beside it. */
  readonly neighbour: ServerLaunch | undefined
}

/** What a trial saw, and what its worker took at the most. */
export interface Trial extends Observation {
  readonly peak: number
  /** From when the worker was loaded until its client was closed, or its end. */
  readonly elapsedMs: number
}

const keepTail = (child: ChildProcess) => {
  let tail = ""
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (tail = (tail + chunk).slice(-STDERR_CHARS)))
  return () => tail
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null

const stop = async (child: ChildProcess): Promise<void> => {
  if (!isRunning(child) || child.pid === undefined) return
  const gone = once(child, "exit")
  end(child.pid)
  await gone
}

const urlOf = async (server: ChildProcess): Promise<string> => {
  let text = ""
  const found = (async () => {
    for await (const chunk of server.stdout!.setEncoding("utf8")) {
      text += String(chunk)
      const url = /https?:\/\/\S+(?=\s)/.exec(text)?.[0]
      if (url !== undefined) return url
    }
    return undefined
  })()
  const url = await Promise.race([found, delay(START_WAIT_MS, undefined, { ref: false })])
  if (url === undefined) throw new Error(`the hostile server gave no address: ${text.slice(0, 200)}`)
  return url
}

const environment = ({ env }: ServerLaunch, tag: string) => ({ ...env, [TAG]: tag, ...COMPILE_CACHE })

/** Over HTTP a server is ours to start. */
const startServer = (launch: ServerLaunch, tag: string): ChildProcess =>
  spawn(process.execPath, [...launch.args], {
    env: { PATH: process.env["PATH"], ...environment(launch, tag) },
    stdio: ["ignore", "pipe", "ignore"]
  })

const targetOf = async (launch: ServerLaunch, tag: string): Promise<Target> =>
  launch.transport === "stdio"
    ? { kind: "stdio", command: process.execPath, args: launch.args, env: environment(launch, tag) }
    : { kind: "http", url: await urlOf(startServer(launch, tag)), headers: launch.headers }

type End = Pick<Trial, "end" | "endDetail" | "elapsedMs">

/** The line of a stack trace that says what happened. */
const reasonOf = (stderr: string): string =>
  stderr
    .split("\n")
    .find((line) => /^(?:\w*Error\b|FATAL ERROR)|\[cause\]|heap/.test(line.trim()))
    ?.trim() ?? ""

/** Until the client is closed, its process has ended, or the deadline has passed. Rejects when it was never loaded. */
const watch = (worker: ChildProcess, steps: Array<Step>, onPeak: (peak: number) => void): Promise<End> =>
  new Promise((resolve, reject) => {
    const tail = keepTail(worker)
    let isReady = false
    let deadline = setTimeout(() => finish({ end: "hang", endDetail: "was never loaded" }), START_WAIT_MS)
    const poll = setInterval(() => {
      const memory = memoryOf(worker.pid!)
      if (memory === undefined) return
      onPeak(memory.peak)
      if (memory.now > MEMORY_MAX_BYTES) {
        finish({ end: "crash", endDetail: `ended at ${MEMORY_MAX_BYTES / 1024 ** 3} GiB of memory` })
      }
    }, POLL_MS)
    let start = performance.now()
    const finish = (how: Omit<End, "elapsedMs">) => {
      clearTimeout(deadline)
      clearInterval(poll)
      if (isReady) resolve({ ...how, elapsedMs: performance.now() - start })
      // What happens before a client is used is none of its outcomes.
      else reject(new Error(`a worker did not come up: ${how.endDetail}`))
    }
    worker.on("message", (report: Report) => {
      if ("ready" in report) {
        clearTimeout(deadline)
        start = performance.now()
        isReady = true
        deadline = setTimeout(() => finish({ end: "hang", endDetail: "" }), DEADLINE_MS)
      } else if ("step" in report) steps.push(report.step)
      else finish({ end: "done", endDetail: "" })
    })
    worker.on("close", (code, signal) =>
      finish({ end: "crash", endDetail: `${reasonOf(tail()) || "no reason given"} (${signal ?? `exit ${code}`})` })
    )
    worker.on("error", (error) => finish({ end: "crash", endDetail: error.message }))
  })

/** What is left when a client has had its time; nothing can come back, so that it need not be waited for. */
const leftOf = async (tag: string): Promise<number> => {
  const until = performance.now() + LEFT_AFTER_MS
  while (performance.now() < until && tagged(tag).length > 0) await delay(LEFT_POLL_MS)
  return tagged(tag).length
}

const observe = async ({ neighbour, server, ...plan }: TrialPlan, tag: string): Promise<Trial> => {
  const target = await targetOf(server, tag)
  const beside = neighbour === undefined ? undefined : await targetOf(neighbour, tag)
  const full: Plan = { ...plan, target, beside, timeoutMs: TIMEOUT_MS }
  const worker = spawn(process.execPath, ["--expose-gc", WORKER, JSON.stringify(full)], {
    env: { ...process.env, ...COMPILE_CACHE, MCP_LIVE_HOME: HOME },
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })
  const steps: Array<Step> = []
  let polled = 0
  try {
    const how = await watch(worker, steps, (peak) => (polled = Math.max(polled, peak)))
    // A server that we started is ours to end. After a crash or a hang nobody has promised anything.
    const left = how.end === "done" && server.transport === "stdio" ? await leftOf(tag) : 0
    const told = steps.at(-1)?.peak
    return {
      steps,
      ...how,
      left,
      timeoutMs: TIMEOUT_MS,
      peak: how.end === "done" && told !== undefined ? told : polled
    }
  } finally {
    await stop(worker)
  }
}

const running = new Set<string>()

/** Ends what the servers of unfinished trials are made of; a worker ends when its parent does. */
export const endAll = (): void => {
  for (const tag of running) for (const pid of tagged(tag)) end(pid)
}

export const runTrial = async (plan: TrialPlan): Promise<Trial> => {
  const tag = randomUUID()
  running.add(tag)
  try {
    return await observe(plan, tag)
  } finally {
    // What is started while it is looked for is found the next time.
    for (let look = 0; look < LAST_LOOKS && tagged(tag).length > 0; look++) {
      for (const pid of tagged(tag)) end(pid)
      await delay(POLL_MS)
    }
    running.delete(tag)
  }
}
