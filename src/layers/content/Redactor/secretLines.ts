/**
 * Finds the lines of a multi-line secret that are secret by themselves. Most lines of a kubeconfig, a service account key or
 * an .env file occur in thousands of other files: they reveal nothing alone, and masking them would make ordinary text
 * unreadable. Pure and linear.
 */
import { soundsLikeCredential } from "../../../schemas/secret/CredentialNames.ts"
import { SECRET_MASK_MIN_CHARS, SECRET_RANDOM_MIN_CHARS } from "../../../schemas/defaults/Secrets.ts"

/** The armor of a PEM block is public and occurs in many texts. */
const ARMOUR = /^-----(BEGIN|END) [A-Z0-9 ]{1,64}-----$/
/** Before the body of an encrypted key: `Proc-Type: 4,ENCRYPTED`. */
const ARMOUR_HEADER = /^[A-Za-z][A-Za-z-]{0,31}: /

/** Without duplicates; empty for a value of one line. */
export const secretLinesOf = (value: string): ReadonlyArray<string> => {
  const lines = rawLinesOf(value)
  return lines.length < 2 ? [] : [...new Set(secretsOf(lines))]
}

/** All distinct lines, trimmed. */
export const rawLinesOf = (value: string): ReadonlyArray<string> => [
  ...new Set(value.split(/[\r\n]+/).map((line) => line.trim()))
]

const secretsOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let isArmoured = false
  return lines.flatMap((line) => {
    const armour = ARMOUR.exec(line)
    if (armour !== null) {
      isArmoured = armour[1] === "BEGIN"
      return []
    }
    return isArmoured ? (ARMOUR_HEADER.test(line) ? [] : [line]) : secretsIn(line)
  })
}

const PAIR = /^(?:export[ \t]+|-[ \t]+)?["']?([\w.-]{1,64})["']?[ \t]*[:=][ \t]*(.*)$/
const ADDRESS = /^["']?[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\//
/** Only the padding of base64. */
const PADDING = /^=*$/

const secretsIn = (line: string): ReadonlyArray<string> => {
  if (ADDRESS.test(line)) return inAddress(unquoted(line))
  const [, name = "", given = ""] = PAIR.exec(line) ?? []
  if (name === "" || PADDING.test(given) || isRandom(name)) return inText(unquoted(line), isElement(line))
  const value = unquoted(given)
  if (ADDRESS.test(value)) return inAddress(value)
  return soundsLikeCredential(name) ? ofCredential(value) : inText(value, true)
}

/** Without quotes and a trailing comma. */
const unquoted = (text: string): string => {
  const bare = text.replace(/[,;]$/, "").trim()
  const quote = bare[0]
  return (quote === '"' || quote === "'") && bare.length > 1 && bare.endsWith(quote) ? bare.slice(1, -1) : bare
}

/** An element of a list: its line may be longer. */
const isElement = (line: string): boolean => /^["'][^"']*["'],?$/.test(line)

/** Common values and paths. */
const DULL = /^(?:true|false|null|none|yes|no|\d{1,7}|[~.]{0,2}\/[\w.~/-]*)$/i

const ofCredential = (value: string): ReadonlyArray<string> => {
  if (value.length < SECRET_MASK_MIN_CHARS || (DULL.test(value) && !hasRandom(value))) return []
  const decoded = value.includes("\\n") ? jsonText(value) : undefined
  // A key in JSON: decoded it has several lines, which may occur separately.
  return decoded === undefined ? [value] : [value, decoded, ...secretLinesOf(decoded)]
}

const jsonText = (escaped: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(`"${escaped}"`)
    // Shorter each time, so this ends.
    return typeof value === "string" && value.length < escaped.length ? value.trim() : undefined
  } catch {
    return undefined
  }
}

const USER_INFO = /:\/\/(?:[^/?#\s@:]{0,1024}:)?([^/?#\s@:]{1,1024})@/
const PARAMETER = /[?&]([\w.-]{1,64})=([^&#\s]{1,4096})/g

/** A URL is secret if it has a password; otherwise only its parameters with the name of a credential are. */
const inAddress = (address: string): ReadonlyArray<string> => {
  const [, password] = USER_INFO.exec(address) ?? []
  const named = [...address.matchAll(PARAMETER)].flatMap(([, name = "", value = ""]) =>
    soundsLikeCredential(name) ? ofCredential(value) : []
  )
  return password === undefined ? named : [address, ...ofCredential(password), ...named]
}

const inText = (text: string, isPart: boolean): ReadonlyArray<string> => {
  const random = runsIn(text).filter(isRandom)
  if (random.length > 0) return [text, ...random]
  return !isPart && isPassword(text) ? [text] : []
}

// ---- random-looking text -------------------------------------------------------------------------------------------

/** The characters of tokens, keys and base64. */
const RUN = /[A-Za-z0-9+/_=.~-]{1,4096}/g

const runsIn = (text: string): ReadonlyArray<string> => text.match(RUN) ?? []
const hasRandom = (text: string): boolean => runsIn(text).some(isRandom)

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/**
 * Letters and digits alternate, or cases alternate more often than in compound names. `dev-cluster-eu-west-1` and
 * `insecureSkipTLSVerify` do not count.
 */
const isRandom = (run: string): boolean => {
  if (run.length < SECRET_RANDOM_MIN_CHARS) return false
  const digits = count(run, /(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])/g)
  const cases = count(run, /(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])/g)
  return digits >= 4 || digits + cases >= run.length * 0.4
}

/** One word with three kinds of characters that fills its line. */
const isPassword = (text: string): boolean =>
  !/\s/.test(text) &&
  text.length >= SECRET_MASK_MIN_CHARS &&
  [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(text)).length >= 3
