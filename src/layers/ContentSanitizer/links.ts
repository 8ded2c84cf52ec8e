/**
 * Reports addresses that carry data away: with a place that the reader shall fill in, or with data in what is fetched
 * without a click. A badge, an avatar, a signed image, the example of an interface or a search is none of these. Only the
 * address itself is judged, never who is behind it.
 */
import { reportAppended, reportSentence, SENTENCE_MAX } from "./commands.ts"
import { readsAsOpaque, saysData, saysStolenData } from "./dataNames.ts"
import type { Tally } from "./tally.ts"

export const reportLinks = (text: string, tally: Tally) => {
  START.lastIndex = 0
  for (let match = START.exec(text); match !== null; match = START.exec(text)) {
    const from = match.index + match[0].length
    reportSentence(text.slice(Math.max(0, match.index - SENTENCE_MAX), match.index), tally)
    if (match[0] === "@") continue
    const url = addressAt(text, from)
    if (url === undefined) continue
    START.lastIndex = from + url.length
    const detail = detailOf(text, match.index, from, url)
    if (detail !== undefined) tally.add("exfilLink", detail)
    reportAppended(text, from + url.length, tally)
  }
}

export const LINK = "link with a place for data"
export const IMAGE = "image that carries data to an address"
export const ELEMENT = "element that carries data to an address"
export const COLLECTOR = "address that collects what is sent to it"

// ---- where addresses are -----------------------------------------------------------------------------------------------

/**
 * The slashes before a host, also as JSON writes them, without a scheme only where an address is expected; and the sign
 * within the address of a mailbox.
 */
const START = /:(?:\/\/|\\\/\\\/)|(?<=[("'=<]\s?)\/\/(?=[\w{[<$])|(?<=[\w+-])@(?=[\w-]{1,63}\.)/g

/** Places for the reader to fill in: `{data}` `{{data}}` `${data}` `<data>` `[DATA]` `$(data)` `%DATA%`. */
const PLACE = String.raw`\$?\{{1,3}[^{}\n]{1,80}\}{1,3}|<[^<>\n/]{1,60}>|\[[^[\]\n]{1,60}\]|\$\([^()\n]{1,120}\)`
const ADDRESS = new RegExp(String.raw`(?:${PLACE}|\\\/|\([^\s()<>"']{0,80}\)|[^\s"'\x60<>()[\]{}|\\^]){1,1500}`, "y")
const ADDRESS_MAX = 2000
/** Without one of these an address carries nothing. */
const CARRIES = /[?#{<[$]|YOUR_|\.(?:site|net|com|sh|fun|live|pro|me|online|cn|io|in)(?:[/:]|$)/i

const addressAt = (text: string, from: number): string | undefined => {
  ADDRESS.lastIndex = from
  const url = ADDRESS.exec(text)?.[0]
  return url === undefined ? undefined : url.slice(0, ADDRESS_MAX)
}

const detailOf = (text: string, start: number, from: number, url: string): string | undefined => {
  if (!CARRIES.test(url)) return undefined
  if (COLLECTORS.test(url)) return COLLECTOR
  const how = partsOf(url)
  const places = placesOf(url)
  const isPlain = places.length === 0
  if (isPlain && how.query === "" && how.fragment === "" && !hasOpaqueLabel(how.host)) return undefined
  if (places.some(saysStolenData) || asksFor(how, places)) return loads(text, start, from) ?? LINK
  if (!isPlain ? places.some(saysData) && !isForKey(how.query) : carriesData(how)) return loads(text, start, from)
  return undefined
}

interface Parts {
  readonly host: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

const PARTS = /^([^/?#]*)([^?#]*)\??([^#]*)#?(.*)$/s

const partsOf = (url: string): Parts => {
  const [, host = "", path = "", query = "", fragment = ""] = PARTS.exec(url) ?? []
  return { host, path, query, fragment }
}

// ---- what they carry ---------------------------------------------------------------------------------------------------

const PLACES = new RegExp(String.raw`${PLACE}|\$[A-Z][A-Z0-9_]{2,40}|YOUR_[A-Z0-9_]{2,40}|%[A-Z][A-Z_]{3,40}%`, "g")

const placesOf = (url: string): ReadonlyArray<string> => url.match(PLACES) ?? NONE
const NONE: ReadonlyArray<string> = []

/** A parameter that is named after data, with a place for some. */
const asksFor = ({ query }: Parts, places: ReadonlyArray<string>) =>
  places.length > 0 &&
  parametersOf(query).some(([name, value]) => DATA_PARAMETER.test(name) && (value.match(PLACES) ?? NONE).some(saysData))

const parametersOf = (query: string): ReadonlyArray<readonly [name: string, value: string]> =>
  query === ""
    ? []
    : query.split(/&(?:amp;)?|;/).map((parameter) => {
        const equals = parameter.indexOf("=")
        return equals < 0 ? [parameter, ""] : [parameter.slice(0, equals), parameter.slice(equals + 1)]
      })

const DATA_PARAMETER =
  /^(?:data|d|info|payload|secrets?|leaks?|exfil\w*|stolen|steal\w*|loot|contents?|conversation|chat|history|prompt|context|dump|env|cookies?|creds?|credentials?|passwords?|passwd|pwd|userdata|user_data|b64|base64|keys|msgs?|log|collect|summary)$/i
/** These may mean anything: only what is in them can tell. */
const SHORT_PARAMETER = /^(?:[a-z]|id|ref|qs?|query|val|value|param|str|input|track|trace)$/i
const ORDINARY_VALUE = /^(?:[\d.,:%x-]*|true|false|auto|low|high|best|good|eco|none|null|identicon|mp|retro|robohash)$/i

/** Makers of pictures out of parameters. */
const RENDERER = /qr|chart|barcode|badge|avatar|latex|codecogs|math|tex|diagram|mermaid|plantuml|kroki|shields|map|placeholder|dummyimage|placehold|og[-_/]|opengraph|stats|typing|camo|\bproxy\b|resize|thumb/i

const carriesData = ({ fragment, host, path, query }: Parts): boolean => {
  if (hasOpaqueLabel(host)) return true
  if (RENDERER.test(host) || RENDERER.test(path)) return false
  if (DATA_PARAMETER.test(fragment)) return true
  return parametersOf(query).some(([name, value]) => {
    if (ORDINARY_VALUE.test(value)) return false
    if (DATA_PARAMETER.test(name)) return true
    return SHORT_PARAMETER.test(name) && (readsAsOpaque(value) || /^q$/i.test(name))
  })
}

/** The key of somebody who calls an interface belongs there. */
const isForKey = (query: string) =>
  parametersOf(query).some(([name, value]) => /^(?:api[-_]?)?(?:key|token)$|access_token|app_?id|client_id|auth/i.test(name) && PLACES.test(value) && resetPlaces())
const resetPlaces = () => {
  PLACES.lastIndex = 0
  return true
}

/** A part of the host name that is data: longer than names are, with digits among its letters. */
const LABEL = /(?:^|\.)(?=[a-z]*\d)[a-z0-9]{32,63}(?=\.[\w-]+\.)/i
const hasOpaqueLabel = (host: string) => host.length > 40 && LABEL.test(host) && !/ipfs|\.dweb\./i.test(host)

/** Services whose only use is to see what comes in. A bare mention of one has neither a path nor a name before it. */
const COLLECTORS =
  /^(?:[\w-]{1,63}\.){0,4}(?:webhook\.site\/[\w-]{6}|requestbin\.(?:com|net)\/\w|requestcatcher\.com\/\w|hookbin\.com\/\w|postb\.in\/\w)|^[\w-]{6,63}(?:\.[\w-]{1,63}){0,3}\.(?:m\.pipedream\.net|pipedream\.net|oastify\.com|oast\.(?:fun|live|pro|me|site|online)|interact\.sh|interactsh\.com|burpcollaborator\.net|dnslog\.cn|ceye\.io|requestcatcher\.com|canarytokens\.com)(?:[/:?]|$)/i

// ---- what is fetched without a click -----------------------------------------------------------------------------------

const BEFORE_MAX = 240
const MARKDOWN_IMAGE = /!\[[^[\]\n]{0,200}\]\(\s{0,4}<?(?:\w{2,6})?$/
const ELEMENT_START = /<(?:img|iframe|frame|script|link|source|embed|object|video|audio|track|input|image|use|form|button|meta|base|body|table|td)\b[^<>]*$/i
const ATTRIBUTE = /(?:src|srcset|href|data|action|formaction|poster|background|content|value)\s{0,4}=\s{0,4}["']?(?:[\d.]{0,4};?\s{0,4}url=["']?)?(?:\w{2,6})?$/i
const STYLE = /(?:url\(|@import)\s{0,4}["']?(?:\w{2,6})?$/i
const DEFINITION = /(?:^|\n)[ \t]{0,3}\[([^[\]\n]{1,100})\]:[ \t]{0,4}<?(?:\w{2,6})?$/

/** What kind of thing is fetched from the address that begins at `start`; nothing when it waits for a click. */
const loads = (text: string, start: number, from: number): string | undefined => {
  const before = text.slice(Math.max(0, start - BEFORE_MAX), start)
  if (MARKDOWN_IMAGE.test(before)) return IMAGE
  if (STYLE.test(before) || (ATTRIBUTE.test(before) && ELEMENT_START.test(before))) return ELEMENT
  const label = DEFINITION.exec(before)?.[1]
  return label !== undefined && isImageLabel(text, label, from) ? IMAGE : undefined
}

/** Whether a label is used for an image: `![alt][label]` or `![label]`. */
const isImageLabel = (text: string, label: string, near: number) => {
  const around = text.slice(Math.max(0, near - LABEL_REACH), near + LABEL_REACH)
  return around.includes(`![${label}]`) || (around.includes("![") && around.includes(`][${label}]`))
}
const LABEL_REACH = 4096
