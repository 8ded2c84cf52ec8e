/**
 * One client against one server, in a process of its own: whatever happens to it is an outcome. Tells its parent what it
 * sees step by step, so that a crash in the next step loses nothing, and stays until it is ended: what a client leaves behind
 * is counted while its process lives, as a gateway's would.
 */
import { loadSubject } from "./clients/load.ts"
import type { Answer, ClientName, Subject, Target } from "./clients/subject.ts"
import { inspect, type LookFor } from "./inspect.ts"
import type { Step, StepName } from "./observation.ts"
import { memoryOf } from "./processes.ts"
import { watchStalls } from "./stalls.ts"

export interface Plan {
  readonly client: ClientName
  readonly target: Target
  readonly timeoutMs: number
  readonly modern: boolean
  readonly sse: boolean
  readonly use: Use | undefined
  /** An honest server, to be called while this one is. */
  readonly beside: Target | undefined
  readonly lookFor: LookFor
}

export type Use =
  | {
      readonly do: "call"
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
      readonly times: number
    }
  | { readonly do: "read"; readonly uri: string }
  | { readonly do: "prompt"; readonly prompt: string }

/** What comes from a worker: that it is loaded, what a step came to, that its client is closed. */
export type Report = { readonly ready: true } | { readonly step: Step } | { readonly closed: true }

/** Spread over a second, and fewer than any limit on how fast an agent may call. */
const CALLS_BESIDE = 15
const BESIDE_PAUSE_MS = 60

// Nobody is left who would end it.
process.on("disconnect", () => process.exit(1))

const plan = JSON.parse(process.argv[2]!) as Plan
const tell = (report: Report) => process.send?.(report)

const makeSubject = await loadSubject(plan.client)
const subject = makeSubject(plan.target, plan)
const beside = plan.beside === undefined ? undefined : makeSubject(plan.beside, plan)
await beside?.connect()
await beside?.list()
const stalls = watchStalls()
tell({ ready: true })

type Seen = Pick<Step, "failed" | "isError" | "tools" | "besideMs" | "besideFailed"> & { readonly shown?: unknown }

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** What came of it and how long it took. */
const timed = async (work: () => Promise<Seen | void>): Promise<Seen & { readonly ms: number }> => {
  const start = performance.now()
  const seen = await work().then(
    (good): Seen => good ?? {},
    (error: unknown): Seen => ({ failed: nameOf(error), shown: messageOf(error) })
  )
  return { ms: performance.now() - start, ...seen }
}

/** Measures first, then looks at what came: looking is not the client's work. */
const step = async (name: StepName, work: () => Promise<Seen | void>): Promise<boolean> => {
  const { shown, ...seen } = await timed(work)
  const stallMs = await stalls.longest()
  // The system's own figure may count what the parent had before the program was loaded.
  const peak = memoryOf(process.pid)?.peak ?? process.resourceUsage().maxRSS * 1024
  const text = shown === undefined ? {} : { text: inspect(shown, plan.lookFor) }
  tell({ step: { step: name, peak, stallMs, ...seen, ...text } })
  // The looking is over; what it cost is not counted.
  stalls.reset()
  return seen.failed === undefined
}

const used = async (use: Use): Promise<Answer> => {
  if (use.do === "read") return subject.read(use.uri)
  if (use.do === "prompt") return subject.prompt(use.prompt)
  for (let left = use.times; left > 1; left--) await subject.call(use.tool, use.args)
  return subject.call(use.tool, use.args)
}

const callBeside = async (honest: Subject): Promise<Pick<Step, "besideMs" | "besideFailed">> => {
  let slowest = 0
  for (let left = CALLS_BESIDE; left > 0; left--) {
    const { failed, ms, shown } = await timed(() => honest.call("echo", { text: "honest words" }))
    if (failed !== undefined) return { besideMs: ms, besideFailed: `${failed}: ${String(shown).slice(0, 200)}` }
    slowest = Math.max(slowest, ms)
    await new Promise((resolve) => setTimeout(resolve, BESIDE_PAUSE_MS))
  }
  return { besideMs: slowest }
}

/** Whatever becomes of the one server, the other is called to the end. */
const useAll = async (use: Use): Promise<Seen> => {
  const [seen, others] = await Promise.all([timed(() => used(use)), beside === undefined ? {} : callBeside(beside)])
  return { ...seen, ...others }
}

const { use } = plan
const steps: ReadonlyArray<readonly [StepName, () => Promise<Seen | void>]> = [
  ["connect", subject.connect],
  [
    "list",
    async () => {
      const tools = await subject.list()
      return { tools: tools.map(({ name }) => name), shown: tools.map(({ shown }) => shown) }
    }
  ],
  ...(use === undefined ? [] : [["use", () => useAll(use)] as const])
]

for (const [name, work] of steps) if (!(await step(name, work))) break
await step("close", async () => void (await Promise.all([subject.close(), beside?.close()])))
tell({ closed: true })
setInterval(() => {}, 60_000)
