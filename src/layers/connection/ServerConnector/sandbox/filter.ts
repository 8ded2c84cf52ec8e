/**
 * The filter of system calls in a sandbox. It blocks the keyrings of the user: they have no namespace, so a server could read keys of other
 * programs. It is made of instructions for the kernel's packet filter, as bubblewrap takes them.
 */
import { endianness } from "node:os"

/** The numbers of add_key, request_key and keyctl for each architecture. 32-bit programs run, too. */
const KEYS: ReadonlyArray<readonly [architecture: number, numbers: ReadonlyArray<number>]> = [
  [0xc000003e, [248, 249, 250]],
  [0x40000003, [286, 287, 288]],
  [0xc00000b7, [217, 218, 219]],
  [0x40000028, [309, 310, 311]]
]

const ARCHITECTURE_AT = 4
const NUMBER_AT = 0
/** Clears the bit that x86-64 sets for calls of its x32 variant. */
const WITHOUT_X32 = 0xbfffffff
const ALLOW = 0x7fff0000
const NOT_PERMITTED = 0x00050001

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]
const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const and = (value: number): Instruction => [0x54, 0, 0, value]
const skipUnless = (value: number, count: number): Instruction => [0x15, 0, count, value]
const give = (value: number): Instruction => [0x06, 0, 0, value]

const forArchitecture = ([architecture, numbers]: (typeof KEYS)[number]): ReadonlyArray<Instruction> => {
  const body = [
    load(NUMBER_AT),
    and(WITHOUT_X32),
    ...numbers.flatMap((each) => [skipUnless(each, 1), give(NOT_PERMITTED)]),
    give(ALLOW)
  ]
  return [skipUnless(architecture, body.length), ...body]
}

const PROGRAM: ReadonlyArray<Instruction> = [load(ARCHITECTURE_AT), ...KEYS.flatMap(forArchitecture), give(ALLOW)]

/** `undefined` for an architecture whose numbers are not known. */
export const keyringFilter = (architecture: string = process.arch): Buffer | undefined => {
  if (!["x64", "ia32", "arm64", "arm"].includes(architecture) || endianness() !== "LE") return undefined
  const bytes = Buffer.alloc(PROGRAM.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of PROGRAM.entries()) {
    const at = bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt32LE(value, bytes.writeUInt8(ifFalse, bytes.writeUInt8(ifTrue, at)))
  }
  return bytes
}
