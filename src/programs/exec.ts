/**
 * `mcp-live exec -- COMMAND …`: puts values in the place of `secret://` in its environment and in the command's arguments, and then
 * becomes that command: the same process, with its number, its stdin, stdout and stderr, which are not touched here, not even looked at
 * (Node changes a pipe that it opens, and whoever comes after it has that). So there is nothing to pass on, and nobody is left behind.
 * For programs that start servers themselves. A way of its own into the program: it is short, and begins fast.
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
    // Nobody reads it; the exit code says it, too.
  }
}

/** Parts of Node itself look at process.stderr when they are loaded, which makes a pipe non-blocking: they get another one. */
const leaveAlone = (): void => {
  const nowhere = new PassThrough()
  for (const name of ["stdin", "stdout", "stderr"]) {
    Object.defineProperty(process, name, { configurable: true, value: nowhere.resume() })
  }
}

/** Returns with an exit code only when it could not become the command. */
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

/** A signal ends what was started for a value first, and then us as it would have. */
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
