/**
 * What the entry of a server that each person has alone may say of its person: `{person}`, `{person.subject}` and `{person.id}`, in `env`,
 * `args` and `headers`. They often are a part of a path, so a value can never be more than one segment of one. Pure.
 */
import { isTypingErrorOf } from "../call/Names.ts"
import { PERSON_SEGMENT_MAX_CHARS } from "../defaults/Clients.ts"
import { type Person, personIdOf } from "../login/Identity.ts"
import type { Launch, ServerConfig } from "./ServerConfig.ts"

/** Doubled braces (`{{person}}`) are those of other templates. A reference in braces may end with two: `{secret://file/{person}}`. */
const PLACEHOLDER = /(?!(?<=\{)\{[^{}]*\}\})\{person(?:\.(?:subject|id))?\}/g
const OF_ONE_ISSUER = /(?!(?<=\{)\{[^{}]*\}\})\{person(?:\.subject)?\}/
/** The same in another case, or with another part of a person. */
const ALMOST = /(?<!\$)(?!(?<=\{)\{[^{}]*\}\})\{person(?:\.\w{1,32})?\}/i

/** An `@` ends the name of a variable in a reference, and persons would choose which variable they get. */
const VARIABLE = /secret:\/\/env\/[^\s"'`,&:|()<>[\]]*\{person/

// ---- mistakes ------------------------------------------------------------------------------------------------------

const PERSON = "person"
const NAMES: ReadonlyArray<string> = [PERSON, "person.subject", "person.id"]
/** Ordinary words, which stand for themselves: a typing error is not likely to make one. */
const WORDS: ReadonlySet<string> = new Set(["persona", "persons", "parson"])

/** A word in braces that are no variable's (`${NAME}`) and not doubled, with its first part. */
const IN_BRACES = /(?<!\$)(?!(?<=\{)\{[^{}]*\}\})\{\s*(([^\W_]{1,16})[\w.-]{0,32})\s*\}/g

/** The first of these words, as it is written. */
const wordIn = (text: string, isMeant: (head: string, word: string) => boolean): string | undefined =>
  [...text.matchAll(IN_BRACES)].find(([, word = "", head = ""]) => isMeant(head.toLowerCase(), word))?.[0]

const isPerson = (head: string): boolean => head === PERSON

const NO_VARIABLE = new RegExp(String.raw`(?<!\$)${PLACEHOLDER.source}`)

/** What is filled in for a person, in a text whose variables (`${person}`) are not expanded yet. */
export const placeholderIn = (text: string): string | undefined => NO_VARIABLE.exec(text)?.[0]

/** Whoever wrote it meant the person of a call, in whatever case. */
export const meantIn = (text: string): string | undefined => wordIn(text, isPerson)

/** Whoever wrote it may have meant that. */
export const almostIn = (text: string): string | undefined => ALMOST.exec(text.replaceAll(PLACEHOLDER, ""))?.[0]

/** The same with typing errors; those that are filled in are none. */
const slipIn = (text: string): string | undefined =>
  wordIn(
    text.replaceAll(PLACEHOLDER, ""),
    (head, word) =>
      isPerson(head) ||
      (!WORDS.has(head) && [head, word].some((each) => NAMES.some((name) => isTypingErrorOf(each, name))))
  )

/** Why this text cannot be made for a person; `undefined` if it can. */
export const placeholderFault = (text: string): string | undefined => {
  if (VARIABLE.test(text))
    return "a secret://env reference cannot hold {person}: keep the keys of persons in files or a vault"
  const slip = slipIn(text)
  return slip && `holds ${slip}, which is no placeholder: write {person}, {person.subject} or {person.id}`
}

/** What follows where it stands for nobody. */
export const FOR_ONE_PERSON = 'is filled in only for a server that each person has alone: set "share": "person"'

const textsOf = (launch: Launch): ReadonlyArray<string> =>
  launch.kind === "stdio" ? [...launch.args, ...Object.values(launch.env)] : Object.values(launch.headers)

/** Whether it says something of its person that another issuer may say of another one. */
export const namesPersonsOfOneIssuer = ({ isolate, launch }: Pick<ServerConfig, "isolate" | "launch">): boolean =>
  isolate === "person" && textsOf(launch).some((text) => OF_ONE_ISSUER.test(text))

/** Whether there is none for this user of it: its entry says something of a person, and was made for nobody. */
export const isForPersonsOnly = ({ isolate, launch }: Pick<ServerConfig, "isolate" | "launch">): boolean =>
  isolate === "person" && textsOf(launch).some((text) => text.search(PLACEHOLDER) >= 0)

/** The same in words, for whoever looks at it. */
export const FOR_PERSONS_ONLY = "runs only for people who have logged in, one process each"

// ---- a value -------------------------------------------------------------------------------------------------------

const KEPT = /^[A-Za-z0-9_.+@-]$/

const escaped = (char: string): string =>
  [...Buffer.from(char)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")

/** What would lead out of its place, or out of its line. */
const problemOf = (value: string): string | undefined => {
  if (/[/\\]/.test(value)) return "it contains a slash"
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value) || !value.isWellFormed())
    return "it contains a character that cannot be seen"
  if (value === "") return "it is empty"
  return value.length > PERSON_SEGMENT_MAX_CHARS ? `it has more than ${PERSON_SEGMENT_MAX_CHARS} characters` : undefined
}

/**
 * A value as one segment of a path, different for different values: `=XX` stands for a byte that has no place there. A dash at the
 * beginning would make it an option, and dots alone another directory.
 */
export const segmentOf = (value: string): string => {
  const isDots = /^\.+$/.test(value)
  return [...value]
    .map((char, i) => (KEPT.test(char) && !isDots && !(i === 0 && char === "-") ? char : escaped(char)))
    .join("")
}

const valueOf = (placeholder: string, person: Person): string =>
  placeholder === "{person.id}" ? personIdOf(person) : placeholder === "{person.subject}" ? person.subject : person.name

interface Filled {
  readonly launch: Launch
  /** Why it cannot be filled in. Such a launch is not used. */
  readonly problem?: string | undefined
}

/** The same, for whoever calls it. */
export const NOBODY = "its entry holds {person}, and whoever asks is not known as a person: its clients have to log in"

/** The launch for one person. Nothing is filled in by halves. */
export const launchFor = (launch: Launch, person: Person | undefined): Filled => {
  let problem: string | undefined
  const fill = (text: string): string =>
    text.replaceAll(PLACEHOLDER, (placeholder) => {
      if (person === undefined) {
        problem ??= NOBODY
        return placeholder
      }
      const value = valueOf(placeholder, person)
      const found = placeholderFault(text) ?? problemOf(value)
      if (found !== undefined) problem ??= `${placeholder} cannot be filled in for its person: ${found}`
      return segmentOf(value)
    })
  const all = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([name, text]) => [name, fill(text)]))
  const filled: Launch =
    launch.kind === "stdio"
      ? { ...launch, args: launch.args.map(fill), env: all(launch.env) }
      : { ...launch, headers: all(launch.headers) }
  return problem === undefined ? { launch: filled } : { launch, problem }
}

/** The text with something in place of each, for checks of what is around them. */
export const withSample = (text: string): string => text.replaceAll(PLACEHOLDER, "person")
