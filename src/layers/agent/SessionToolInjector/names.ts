/**
 * What our entries are called in a gateway's configuration: which machine they lead to, which process made them, and a number
 * that it never uses again. The gateway takes 30 characters, and what it calls a tool begins with them: so they are few.
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

/** Of this process: two on one machine are told apart by chance alone, which does. */
export const newInstance = (): Instance => ({
  machine: inLetters(createHash("sha256").update(`${machineId()}\n${hostname()}`).digest(), MACHINE_CHARS),
  id: inLetters(randomBytes(16), ID_CHARS)
})

export const entryName = ({ id, machine }: Instance, number: number): string =>
  `${PREFIX}-${machine}-${id}-${number.toString(RADIX)}`

/** Whose an entry is; `undefined` for one that is no business of ours. */
export const ownerOf = (name: string): Instance | undefined => {
  const [, machine, id] = INJECTED_NAME.exec(name) ?? []
  return machine === undefined || id === undefined ? undefined : { machine, id }
}
