/**
 * `mcp-live exec -- COMMAND …`: resolves `secret://` references in the environment and in the command's arguments, and then
 * replaces itself by that command, for programs that start servers themselves. The command keeps the process id, stdin,
 * stdout and stderr, so nothing has to be forwarded and no process stays behind. The three streams are not opened here: Node
 * would make a pipe non-blocking, and the command would inherit that. This is a separate entry point, so that it starts fast.
 */
import { writeSync } from "node:fs"
import { PassThrough } from "node:stream"
import { readExec } from "./exec/arguments.ts"
import { become } from "./exec/become.ts"
import { environmentFor, hasReference } from "./exec/environment.ts"

const STDERR = 2
const EXIT_FAILED = 1
const EXIT_USAGE = 2

const complain = (sentence: string): void => {
  try {
    writeSync(STDERR, `mcp-live: exec: ${sentence.replace(/\p{Cc}/gu, " ")}\n`)
  } catch {
    // If nobody reads stderr, the exit code still tells the error.
  }
}

/** Parts of Node read process.stderr when they are loaded, which makes a pipe non-blocking. They get another stream. */
const leaveAlone = (): void => {
  const nowhere = new PassThrough()
  for (const name of ["stdin", "stdout", "stderr"]) {
    Object.defineProperty(process, name, { configurable: true, value: nowhere.resume() })
  }
}

/** Returns an exit code only when it could not become the command. */
export const exec = async (args: ReadonlyArray<string>): Promise<number> => {
  const read = readExec(args)
  if (typeof read === "string") {
    complain(read)
    return EXIT_USAGE
  }
  const { command, config, unset } = read
  const given = environmentFor(process.env, unset)
  const texts = [...Object.values(given), ...command]
  if (!texts.some(hasReference)) return failed(become(command, given))
  leaveAlone()
  // Only for those who have something to resolve.
  const [{ resolveAll }, { maskedNow }] = await Promise.all([import("./exec/resolve.ts"), import("./cli/masking.ts")])
  // Node would print it as it is, and it may hold a value.
  process.on("uncaughtException", (error) => {
    complain(`internal error: ${maskedNow(error.stack ?? String(error))}`)
    process.exit(EXIT_FAILED)
  })
  const resolved = await untilSignal((signal) =>
    resolveAll({ command, env: given, config, surroundings: process.env }, signal)
  )
  if ("problem" in resolved) {
    complain(resolved.problem)
    return EXIT_USAGE
  }
  return failed(become(resolved.command, resolved.env))
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A signal first ends the processes that were started to resolve values, and then us. */
const untilSignal = async <A>(work: (signal: AbortSignal) => Promise<A>): Promise<A> => {
  const controller = new AbortController()
  let reason: (typeof SIGNALS)[number] = "SIGTERM"
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      reason = signal
      controller.abort()
    })
  }
  try {
    return await work(controller.signal)
  } catch (error) {
    if (!controller.signal.aborted) throw error
    for (const signal of SIGNALS) process.removeAllListeners(signal)
    process.kill(process.pid, reason)
    return await new Promise<never>(() => {})
  }
}

const failed = ({ code, problem }: ReturnType<typeof become>): number => {
  complain(problem)
  return code
}

if (import.meta.main) process.exit(await exec(process.argv.slice(2)))
