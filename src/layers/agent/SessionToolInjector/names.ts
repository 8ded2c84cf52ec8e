/**
 * The names of our entries in a gateway's configuration: machine, process, and a number that is never reused. The gateway
 * allows 30 characters, and tool names begin with them, so they are short.
 */
import { createHash, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { INJECTED_NAME } from "../../../schemas/agent/openclaw/Injected.ts"

export interface Instance {
  readonly machine: string
  readonly id: string
}

const PREFIX = "mcp-live"
const MACHINE_CHARS = 3
const ID_CHARS = 5
const RADIX = 36

const inLetters = (bytes: Buffer, chars: number): string =>
  BigInt(`0x${bytes.toString("hex")}`)
    .toString(RADIX)
    .slice(-chars)
    .padStart(chars, "0")

const machineId = (): string => {
  try {
    return readFileSync("/etc/machine-id", "utf8")
  } catch {
    return ""
  }
}

/** Of this process: two on one machine differ by chance, which is enough. */
export const newInstance = (): Instance => ({
  machine: inLetters(createHash("sha256").update(`${machineId()}\n${hostname()}`).digest(), MACHINE_CHARS),
  id: inLetters(randomBytes(16), ID_CHARS)
})

export const entryName = ({ id, machine }: Instance, number: number): string =>
  `${PREFIX}-${machine}-${id}-${number.toString(RADIX)}`

/** The process of an entry; `undefined` for entries that are not ours. */
export const ownerOf = (name: string): Instance | undefined => {
  const [, machine, id] = INJECTED_NAME.exec(name) ?? []
  return machine === undefined || id === undefined ? undefined : { machine, id }
}

/** A response at this path shows that the process is alive, to those who know its name; it is not secret. */
export const alivePath = (instance: string): string => `/alive/${instance}`
