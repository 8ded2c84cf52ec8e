/**
 * Reports URLs that carry data away: with a placeholder for the reader to fill in, or with data in a resource that is fetched
 * without a click. Badges, avatars, signed images, API examples and searches are fine. Only the URL itself is judged, never
 * who owns it.
 */
import { reportAppended, reportSentence } from "./commands.ts"
import { readsAsOpaque, saysData, saysStolenData } from "./dataNames.ts"
import type { Tally } from "./tally.ts"

export const reportLinks = (text: string, tally: Tally) => {
  const labels = labelsOf(text)
  START.lastIndex = 0
  for (let match = START.exec(text); match !== null; match = START.exec(text)) {
    const from = match.index + match[0].length
    reportSentence(text, match.index, tally)
    if (match[0] === "@") continue
    const url = addressAt(text, from)
    if (url === "") continue
    START.lastIndex = from + url.length
    const detail = detailOf(text, match.index, url.replace(CONNECTS_AS, ""), labels)
    if (detail !== undefined) tally.add("exfilLink", detail)
    reportAppended(text, from + url.length, tally)
  }
}

const LINK = "link with a place for data"
const IMAGE = "image that carries data to an address"
const ELEMENT = "element that carries data to an address"
const COLLECTOR = "address that collects what is sent to it"

// ---- finding URLs --------------------------------------------------------------------------------------------------

/**
 * The slashes before a host, also as JSON escapes them; without a scheme only where a URL is expected; and the @ of a mail address.
 */
const START = /:(?:\/\/|\\\/\\\/)|(?<=[("'=<]\s?)\/\/(?=[\w{[<$])|(?<=[\w+-])@(?=[\w-]{1,63}\.)/g

/** Placeholders to fill in: `{data}` `{{data}}` `${data}` `<data>` `[DATA]` `$(data)` `%DATA%`. */
const PLACE = String.raw`\$?\{{1,3}[^{}\n]{1,80}\}{1,3}|<[^<>\n/]{1,60}>|\[[^[\]\n]{1,60}\]|\$\([^()\n]{1,120}\)`
const ADDRESS = new RegExp(String.raw`^(?:[^\s"'\x60<>()[\]{}|\\^$]+|${PLACE}|\$|\\\/|\([^\s()<>"']{0,80}\))+`)
const ADDRESS_MAX = 2000
/** Without one of these a URL carries nothing, unless its host does. */
const CARRIES = /[?#{<[$%]|YOUR_/
const HOST_MIN = 40

const addressAt = (text: string, from: number): string => ADDRESS.exec(text.slice(from, from + ADDRESS_MAX))?.[0] ?? ""

const detailOf = (text: string, start: number, url: string, labels: Labels): string | undefined => {
  if (isCollector(url)) return COLLECTOR
  if (!CARRIES.test(url) && url.length < HOST_MIN) return undefined
  const parts = partsOf(url)
  const places = url.match(PLACES) ?? []
  if (places.some(saysStolenData) || asksFor(parts, places) || boasts(parts)) return loads(text, start, labels) ?? LINK
  const carries = places.length > 0 ? places.some(saysData) && !isForKey(parts) : carriesData(parts)
  return carries ? loads(text, start, labels) : undefined
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

/** A name and a password before the host are for connecting. */
const CONNECTS_AS = /^[^/?#]*@/

// ---- what they carry ---------------------------------------------------------------------------------------------------

const NAMED = String.raw`${PLACE}|\$[A-Z][A-Z0-9_]{2,40}|YOUR_[A-Z0-9_]{2,40}|%[A-Z][A-Z_]{3,40}%`
const PLACES = new RegExp(NAMED, "g")
const HAS_PLACE = new RegExp(NAMED)

/** A parameter that is named after data, with a placeholder. */
const asksFor = ({ query }: Parts, places: ReadonlyArray<string>) =>
  places.length > 0 &&
  parametersOf(query).some(([name, value]) => DATA_PARAMETER.test(name) && (value.match(PLACES) ?? []).some(saysData))

/** Has a placeholder for an API key, which belongs there. */
const isForKey = ({ query }: Parts) =>
  parametersOf(query).some(([name, value]) => KEY_PARAMETER.test(name) && HAS_PLACE.test(value))

const parametersOf = (query: string): ReadonlyArray<readonly [name: string, value: string]> =>
  query === ""
    ? []
    : query.split(/&(?:amp;)?|;/).map((parameter) => {
        const equals = parameter.indexOf("=")
        return equals < 0 ? [parameter, ""] : [parameter.slice(0, equals), parameter.slice(equals + 1)]
      })

const DATA_PARAMETER =
  /^(?:data|d|info|payload|secrets?|leaks?|exfil\w*|stolen|steal\w*|loot|contents?|conversation|chat|history|prompt|context|dump|env|cookies?|creds?|credentials?|passwords?|passwd|pwd|userdata|user_data|b64|base64|keys|msgs?|log|collect|summary)$/i
const KEY_PARAMETER = /^(?:api[-_]?)?(?:key|token)$|access_token|app_?id|client_id|auth/i
/** These may mean anything: only their values can tell. */
const SHORT_PARAMETER = /^(?:[a-z]|id|ref|qs?|query|val|value|param|str|input|track|trace)$/i
const ORDINARY_VALUE = /^(?:[\d.,:%x-]*|true|false|auto|low|high|best|good|eco|none|null|identicon|mp|retro|robohash)$/i

/** Services that render pictures from parameters. */
const RENDERER =
  /(?<![a-z])(?:qr|quickchart|charts?|barcode|badges?|badgen|avatars?|latex|codecogs|math|tex|diagrams?|mermaid|plantuml|kroki|shields|maps?|staticmap|placeholder|dummyimage|placehold|og|opengraph|stats|typing|camo|proxy|resize|thumb)/i

/** The URL itself states a malicious purpose, and carries something. */
const BOASTS = /(?<![a-z])(?:evil|attacker|exfil\w*|leak|steal\w*|stolen|hacker|malicious)(?![a-z])/i
const boasts = ({ host, path, query }: Parts) =>
  BOASTS.test(host + path) &&
  parametersOf(query).some(([name, value]) => DATA_PARAMETER.test(name) && !ORDINARY_VALUE.test(value))

const carriesData = ({ fragment, host, path, query }: Parts): boolean => {
  if (hasOpaqueLabel(host)) return true
  if (RENDERER.test(host) || RENDERER.test(path)) return false
  if (DATA_PARAMETER.test(fragment)) return true
  return parametersOf(query).some(([name, value]) => {
    if (ORDINARY_VALUE.test(value)) return false
    if (DATA_PARAMETER.test(name)) return true
    return SHORT_PARAMETER.test(name) && (readsAsOpaque(value) || /^q$/i.test(name) || BOASTS.test(host + path))
  })
}

/** A part of the host name that is data: longer than names are, with digits among its letters. */
const LABEL = /(?:^|\.)(?=[a-z]*\d)[a-z0-9]{32,63}(?=\.[\w-]+\.)/i
const hasOpaqueLabel = (host: string) => host.length >= HOST_MIN && LABEL.test(host) && !/ipfs|\.dweb\./i.test(host)

/** Services that only collect requests: at a path of their own, or at a subdomain. */
const BY_PATH = new Set("webhook.site requestbin.com requestbin.net requestcatcher.com hookbin.com postb.in".split(" "))
const BY_NAME = new Set(
  "pipedream.net oastify.com oast.fun oast.live oast.pro oast.me oast.site oast.online interact.sh interactsh.com burpcollaborator.net dnslog.cn ceye.io requestcatcher.com canarytokens.com".split(
    " "
  )
)
const HOST = /^([^/?#:]*?)([^./?#:]+\.[^./?#:]+)(?:[:?#]|(\/)[^/?#]|\/|$)/

/** A mere mention of one has neither a path nor a subdomain. */
const isCollector = (url: string): boolean => {
  const [, name = "", domain = "", path] = HOST.exec(url) ?? []
  return (path !== undefined && BY_PATH.has(domain)) || (name.length > 5 && BY_NAME.has(domain))
}

// ---- what is fetched without a click -----------------------------------------------------------------------------------

const BEFORE_MAX = 240
const MARKDOWN_IMAGE = /!\[[^[\]\n]{0,200}\]\(\s{0,4}<?(?:\w{2,6})?$/
const ELEMENT_START =
  /<(?:img|iframe|frame|script|link|source|embed|object|video|audio|track|input|image|use|form|button|meta|base|body|table|td)\b[^<>]*$/i
const ATTRIBUTE =
  /(?:src|srcset|href|data|action|formaction|poster|background|content|value)\s{0,4}=\s{0,4}["']?(?:[\d.]{0,4};?\s{0,4}url=["']?)?(?:\w{2,6})?$/i
const STYLE = /(?:url\(|@import)\s{0,4}["']?(?:\w{2,6})?$/i
const DEFINITION = /(?:^|\n)[ \t]{0,3}\[([^[\]\n]{1,100})\]:[ \t]{0,4}<?(?:\w{2,6})?$/

/** What may directly precede each of these. */
const NEARBY = /[("'=<:]\s{0,4}<?(?:\w{2,6})?$/
const NEARBY_MAX = 16

/** What is fetched from the URL at `start` without a click; `undefined` when it needs a click. */
const loads = (text: string, start: number, labels: Labels): string | undefined => {
  if (!NEARBY.test(text.slice(Math.max(0, start - NEARBY_MAX), start))) return undefined
  const before = text.slice(Math.max(0, start - BEFORE_MAX), start)
  if (MARKDOWN_IMAGE.test(before)) return IMAGE
  if (STYLE.test(before) || (ATTRIBUTE.test(before) && ELEMENT_START.test(before))) return ELEMENT
  const label = DEFINITION.exec(before)?.[1]
  return label !== undefined && labels().has(label.toLowerCase()) ? IMAGE : undefined
}

/** The labels that images in the text refer to. */
type Labels = () => ReadonlySet<string>
const USED_LABEL = /!\[([^[\]\n]{0,200})\](?:\[([^[\]\n]{1,100})\])?/g

const labelsOf = (text: string): Labels => {
  let labels: ReadonlySet<string> | undefined
  return () =>
    (labels ??= new Set(Array.from(text.matchAll(USED_LABEL), ([, alt = "", label = alt]) => label.toLowerCase())))
}
