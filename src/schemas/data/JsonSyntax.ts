/**
 * Checks whether bytes are JSON (RFC 8259) without parsing them into values: a text of brackets would become objects of
 * twenty times its size. One pass, no recursion, one bit for each open bracket. It yields regularly.
 */
import { atOnce, type InTurns } from "./InTurns.ts"

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const [MINUS, PLUS, DOT, ZERO, NINE, LOWER_U] = [0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x75]
const ESCAPES: ReadonlySet<number | undefined> = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)))
const WORDS = ["true", "false", "null"].map((word) => [...word].map((char) => char.charCodeAt(0)))
const HEX_DIGITS = 4

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE
const isHex = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)

/** The end of the token that begins at `at`, or -1. */
type Skip = (bytes: Uint8Array, at: number) => number

const skipSpace: Skip = (bytes, from) => {
  let at = from
  for (let byte = bytes[at]; byte === SPACE || byte === LF || byte === CR || byte === TAB; byte = bytes[at]) at++
  return at
}

const skipString: Skip = (bytes, from) => {
  if (bytes[from] !== QUOTE) return -1
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) return at + 1
    if (byte < SPACE) return -1
    if (byte !== BACKSLASH) continue
    at++
    if (bytes[at] !== LOWER_U) {
      if (!ESCAPES.has(bytes[at])) return -1
      continue
    }
    for (let digit = 1; digit <= HEX_DIGITS; digit++) if (!isHex(bytes[at + digit])) return -1
    at += HEX_DIGITS
  }
  return -1
}

const skipDigits: Skip = (bytes, from) => {
  let at = from
  while (isDigit(bytes[at])) at++
  return at === from ? -1 : at
}

const skipNumber: Skip = (bytes, from) => {
  let at = bytes[from] === MINUS ? from + 1 : from
  at = bytes[at] === ZERO ? at + 1 : skipDigits(bytes, at)
  if (at !== -1 && bytes[at] === DOT) at = skipDigits(bytes, at + 1)
  if (at !== -1 && (bytes[at]! | 0x20) === 0x65) {
    at = skipDigits(bytes, bytes[at + 1] === PLUS || bytes[at + 1] === MINUS ? at + 2 : at + 1)
  }
  return at
}

const skipScalar: Skip = (bytes, at) => {
  const byte = bytes[at]
  if (byte === QUOTE) return skipString(bytes, at)
  if (byte === MINUS || isDigit(byte)) return skipNumber(bytes, at)
  const word = WORDS.find(([first]) => first === byte)
  return word !== undefined && word.every((char, index) => bytes[at + index] === char) ? at + word.length : -1
}

/** A key and the colon after it. */
const skipKey: Skip = (bytes, from) => {
  const end = skipString(bytes, skipSpace(bytes, from))
  if (end === -1) return -1
  const colon = skipSpace(bytes, end)
  return bytes[colon] === COLON ? colon + 1 : -1
}

/** The open brackets; 1 means an object. */
const makeStack = () => {
  let bits = new Uint8Array(64)
  let depth = 0
  return {
    depth: () => depth,
    push: (isObject: boolean) => {
      if (depth >> 3 === bits.length) {
        const larger = new Uint8Array(bits.length * 2)
        larger.set(bits)
        bits = larger
      }
      const mask = 1 << (depth & 7)
      bits[depth >> 3] = isObject ? bits[depth >> 3]! | mask : bits[depth >> 3]! & ~mask
      depth++
    },
    pop: () => void depth--,
    isObject: () => (bits[(depth - 1) >> 3]! & (1 << ((depth - 1) & 7))) !== 0
  }
}

/** Takes a few milliseconds. */
const TURN_BYTES = 64 * 1024

/** For bytes that are valid UTF-8. A byte order mark is not JSON, and not every parser accepts it. Yields regularly. */
export function* isJsonInTurns(bytes: Uint8Array): InTurns<boolean> {
  const stack = makeStack()
  let [at, turnEnd] = [0, TURN_BYTES]
  for (;;) {
    // A value begins here.
    at = skipSpace(bytes, at)
    const byte = bytes[at]
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (at >= turnEnd) {
        turnEnd = at + TURN_BYTES
        yield
      }
      const inside = skipSpace(bytes, at + 1)
      if (bytes[inside] === (byte === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT)) {
        at = inside + 1
      } else {
        stack.push(byte === OPEN_OBJECT)
        at = byte === OPEN_OBJECT ? skipKey(bytes, inside) : inside
        if (at === -1) return false
        continue
      }
    } else {
      at = skipScalar(bytes, at)
      if (at === -1) return false
    }
    // A value has ended here, and maybe what contains it.
    for (;;) {
      if (at >= turnEnd) {
        turnEnd = at + TURN_BYTES
        yield
      }
      at = skipSpace(bytes, at)
      if (stack.depth() === 0) return at === bytes.length
      const isObject = stack.isObject()
      if (bytes[at] === COMMA) {
        at = isObject ? skipKey(bytes, at + 1) : at + 1
        if (at === -1) return false
        break
      }
      if (bytes[at] !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) return false
      stack.pop()
      at++
    }
  }
}

/** The same without yielding. */
export const isJson = (bytes: Uint8Array): boolean => atOnce(isJsonInTurns(bytes))
