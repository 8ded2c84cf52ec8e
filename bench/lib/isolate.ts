/** Runs a worker script in a process of its own, for a clean heap and cold caches; its last line is its answer, as JSON. */
import { execFile, spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { promisify } from "node:util"
import { fileURLToPath } from "node:url"

/** Where `taskset` is (Linux), a worker and the servers it starts can be kept on one core. */
export const canPin = spawnSync("taskset", ["--version"]).status === 0

const onOneCore = ["taskset", "-c", String(availableParallelism() - 1)]

const start = async <A>(prefix: ReadonlyArray<string>, worker: string, args: ReadonlyArray<string>): Promise<A> => {
  const script = fileURLToPath(new URL(`../workers/${worker}`, import.meta.url))
  const [command, ...rest] = [...prefix, process.execPath, "--expose-gc", script, ...args]
  const { stdout } = await promisify(execFile)(command!, rest, { maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as A
}

export const isolate = <A>(worker: string, ...args: ReadonlyArray<string>): Promise<A> => start([], worker, args)

export const isolateOnOneCore = <A>(worker: string, ...args: ReadonlyArray<string>): Promise<A> =>
  start(onOneCore, worker, args)
