/**
 * One client against one server, in a process of its own: whatever happens to it is an outcome. Tells its parent what it
 * sees step by step, so that a crash in the next step loses nothing, and stays until it is ended: what a client leaves behind
 * is counted while its process lives, as a gateway's would.
 */
import { loadSubject, type Answer, type ClientName, type Subject, type Target } from "./clients/subject.ts"
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

const CALLS_BESIDE = 50

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

type Seen = Omit<Step, "step" | "ms" | "peak" | "stallMs" | "text"> & { readonly shown?: unknown }

const namesOf = (error: unknown) => (error instanceof Error ? error.name : typeof error)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Measures first, then looks at what came: looking is not the client's work. */
const step = async (name: StepName, work: () => Promise<Seen | void>): Promise<boolean> => {
  const start = performance.now()
  const seen = await work().then(
    (good): Seen => good ?? {},
    (error: unknown): Seen => ({ failed: namesOf(error), shown: messageOf(error) })
  )
  const ms = performance.now() - start
  const stallMs = await stalls.longest()
  // The system's own figure may count what the parent had before the program was loaded.
  const peak = memoryOf(process.pid)?.peak ?? process.resourceUsage().maxRSS * 1024
  const measured = { ms, peak, stallMs }
  const { shown, ...rest } = seen
  const text = shown === undefined ? {} : { text: inspect(shown, plan.lookFor) }
  tell({ step: { step: name, ...measured, ...rest, ...text } })
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

const slowestBeside = async (honest: Subject): Promise<number> => {
  let slowest = 0
  for (let left = CALLS_BESIDE; left > 0; left--) {
    const start = performance.now()
    await honest.call("echo", { text: "honest words" })
    slowest = Math.max(slowest, performance.now() - start)
  }
  return slowest
}

const useAll = async (use: Use): Promise<Seen> => {
  // Whatever becomes of the one, the other is waited for.
  const [answer, slowest] = await Promise.allSettled([used(use), beside === undefined ? 0 : slowestBeside(beside)])
  if (slowest.status === "rejected") throw new Error("an honest server beside it failed", { cause: slowest.reason })
  if (answer.status === "rejected") throw answer.reason
  return { ...answer.value, ...(beside === undefined ? {} : { besideMs: slowest.value }) }
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
