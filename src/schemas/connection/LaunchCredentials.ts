/**
 * The credentials in a launch that are plain text: in variables, headers, parameters of an address, and before the `@` of an address.
 * References to secrets are left out, because their resolver knows them. A common word is no credential, even in such a place: it
 * would be masked everywhere. Pure and linear.
 */
import { soundsLikeCredential } from "../secret/CredentialNames.ts"
import { secretTextsOf } from "../login/OAuthConfig.ts"
import type { Launch, ServerConfig } from "./ServerConfig.ts"

const REFERENCE = /secret:\/\//i
/** A variable that is not set stays as it is written. */
const UNSET = /\$\{/

/** The location of a credential, or the number of tokens that a model may spend: these are no credentials. */
const HARMLESS = /(?:[_-](?:file|path|dir|sock)|credentials)$|(?:max|limit)[_-]?tokens?|tokens?[_-]?(?:max|limit)/i
const HARMLESS_VALUE = /^(?:\d+|[~.]{0,2}\/.*)$/
const ABOUT = /[_-](?:type|name)$/i
/** Names of credentials, not of how or where one is used (`AUTH_MODE`, `SORT_KEY`). */
const SURELY = /(?:passw(?:or)?d|passphrase|secret|token|(?:api|access|secret|private)[_-]?key|authorization)$/i

const SWITCH = /^(?:true|false|yes|no|on|off|none|null|undefined|auto|default|enabled|disabled|required|optional)$/i
const FEW_DIGITS = /^[-+\d.,:]{1,9}$/
const WORDS = /^[A-Za-z]+(?:[-_. ][A-Za-z]+)*$/
/** Values in examples and fresh installations. */
const USUAL =
  /^(?:password|passwd|secret|token|change-?me|example|dummy|placeholder|testing|postgres|postgresql|mariadb|rabbitmq|mongodb|elastic|elasticsearch|admin|minioadmin|administrator|anonymous|localhost|string|bearer|oauth2?)$/i
const PLACE =
  /^(?:[a-z][a-z\d+.-]{0,31}:\/\/|[~.]{1,2}\/|[A-Za-z]:\\|\/(?:home|Users|tmp|var|run|etc|usr|opt|root|mnt|srv)\/)/

const isOrdinary = (name: string, value: string): boolean =>
  [SWITCH, FEW_DIGITS, USUAL, PLACE].some((known) => known.test(value)) || (!SURELY.test(name) && WORDS.test(value))

/** The value as it is written, and decoded if it is percent-encoded. */
const readings = (value: string): ReadonlyArray<string> => {
  try {
    return [...new Set([value, decodeURIComponent(value)])]
  } catch {
    return [value]
  }
}

const valueOf = (name: string, text: string): ReadonlyArray<string> => {
  const value = text.trim()
  return value === "" || REFERENCE.test(value) || UNSET.test(value) || isOrdinary(name, value) ? [] : [value]
}

/** The credentials in a text that stands under this name. */
export const credentialsNamed = (name: string, text: string): ReadonlyArray<string> =>
  soundsLikeCredential(name) && !ABOUT.test(name) && !(HARMLESS.test(name) && HARMLESS_VALUE.test(text))
    ? valueOf(name, text)
    : []

const USER_INFO = /:\/\/(?:([^/?#\s@:]{0,1024}):)?([^/?#\s@:]{1,1024})@/g

/** `postgres://ada:***@db/x` and `https://***@host`. A user name alone is a credential only in the latter. */
const ofUserInfo = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(USER_INFO)].flatMap(({ 1: user, 2: password = "", index }) =>
    password === user || (user === undefined && !/https?$/i.test(text.slice(Math.max(0, index - 5), index)))
      ? []
      : valueOf(user === undefined ? "" : "password", password).flatMap(readings)
  )

const ofQuery = (url: string): ReadonlyArray<string> =>
  [...url.matchAll(/[?&]([^=&#]+)=([^&#]*)/g)].flatMap(([, name = "", value = ""]) =>
    credentialsNamed(name, value).flatMap(readings)
  )

const SCHEME = /^(?:bearer|basic|token|apikey)\s+(?=\S)/i
const ANY_SCHEME = /^([A-Za-z][\w-]{0,31})\s+(?=\S)/

/** `Server=db;User=ada;Password=…` */
const PAIR =
  /(?:^|[;,&\s])[ \t]{0,4}(?:password|passwd|pwd|(?:account|shared ?access)key|secret)[ \t]{0,4}=[ \t]{0,4}([^;,&\s"']{1,1024})/gi
const ofPairs = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(PAIR)].flatMap(([, value = ""]) => valueOf("password", value))

/** Addresses that are credentials themselves (webhooks): the part behind the host. */
const HOOK = /^https?:\/\/[^/?#\s]{1,256}(\/[^\s]{16,1024})$/i
const ofHook = (name: string, text: string): ReadonlyArray<string> => {
  const [, path] = /webhook/i.test(name) ? (HOOK.exec(text.trim()) ?? []) : []
  return path === undefined || REFERENCE.test(text) || UNSET.test(text) ? [] : [path]
}

const ofVariable = ([name, text]: readonly [string, string]): ReadonlyArray<string> => [
  ...credentialsNamed(name, text.trim().replace(SCHEME, "")),
  ...ofHook(name, text),
  ...ofPairs(text),
  ...ofUserInfo(text)
]

const ofHeader = ([name, text]: readonly [string, string]): ReadonlyArray<string> => {
  const value = text.trim()
  // A server may send back each of them alone.
  if (/cookie$/i.test(name)) {
    return value.split(";").flatMap((cookie) => valueOf(name, cookie.slice(cookie.indexOf("=") + 1)))
  }
  const [before = "", scheme = ""] = ANY_SCHEME.exec(value) ?? []
  const credentials = credentialsNamed(name, value.slice(before.length))
  if (scheme.toLowerCase() !== "basic") return credentials
  return credentials.flatMap((encoded) => {
    const pair = Buffer.from(encoded, "base64").toString("utf8")
    return [encoded, ...valueOf("password", pair.slice(pair.indexOf(":") + 1))]
  })
}

export const credentialsOf = (launch: Launch): ReadonlyArray<string> => {
  const found =
    launch.kind === "stdio"
      ? [...Object.entries(launch.env).flatMap(ofVariable), ...launch.args.flatMap(ofUserInfo)]
      : [
          ...Object.entries(launch.headers).flatMap(ofHeader),
          ...ofUserInfo(launch.url),
          ...ofQuery(launch.url),
          ...(launch.auth === undefined ? [] : secretTextsOf(launch.auth)).flatMap((text) => valueOf("secret", text))
        ]
  return [...new Set(found)]
}

export interface KnownCredential {
  readonly value: string
  /** Whether no other server may get it. */
  readonly guarded: boolean
}

/**
 * The credentials of a server, each with how it is protected. A value that a client wrote into the environment of its own server may
 * be any word: it is masked, but other sessions may still use it.
 */
export const knownCredentials = ({
  launch,
  session
}: Pick<ServerConfig, "launch" | "session">): ReadonlyArray<KnownCredential> =>
  credentialsOf(launch).map((value) => ({ value, guarded: session === undefined || isUnlikely(value) }))

/** Values that nobody writes by chance. */
const isUnlikely = (value: string): boolean =>
  value.length >= UNLIKELY_MIN_CHARS && /\d/.test(value) && /\p{L}/u.test(value) && !/\s/.test(value)
const UNLIKELY_MIN_CHARS = 12
