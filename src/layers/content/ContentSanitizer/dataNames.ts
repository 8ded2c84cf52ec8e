/** Judges a placeholder by its name. */

/** Data that no honest link asks for: what the reader knows and others must not. */
const STOLEN =
  /secret|passw|passphrase|credential|conversation|transcript|histor(?:y|ies)|system[ _-]?prompt|stolen|exfil|leak|everything|memor(?:y|ies)|cookie|base64|\bb64\b|private|ssh|(?:file|user|personal|sensitive|collected|extracted|gathered|encoded|chat|env|all)[ _-]?(?:data|contents?|info|keys?|vars?|text|messages?|log)|summary|(?:your|the|previous|last)[ _-](?:answer|response|reply|context|messages?|input)|whoami|^\$\((?:cat|base64|env|printenv)\b/i
/** May be meant for an API as well. */
const DATA =
  /data|contents?\b|payload|\btext|output|result|response|answer|\binfo|messages?\b|context|prompt|input|\benv\b|encoded?|email|\bkeys?\b|token|query|question|body|here/i

/** Names of identifiers and settings, whatever else they contain. */
const ORDINARY =
  /(?:^|[^a-z])(?:id|ids|uuid|slug|name|version|branch|tag|path|format|type|width|height|size|page|offset|limit|lang|locale|region|host|port|hash|sha|date|year|month|day)[^a-z]*$|client_secret|secret[ _-]?(?:id|name|arn|version)|history[ _-]?id|conversation[ _-]?id|chat[ _-]?id|memory[ _-]?id|private[ _-]?(?:repo|network|ip)|your[ _-](?:api|org|domain|project|tenant|account|user|repo|site|app|workspace)/i

/** Nothing else: an API would be more specific. */
const JUST_DATA = /^(?:data|info|stuff)$/i

export const saysStolenData = (place: string): boolean =>
  JUST_DATA.test(bare(place)) || (STOLEN.test(place) && !ORDINARY.test(bare(place)))
export const saysData = (place: string): boolean =>
  (DATA.test(place) && !ORDINARY.test(bare(place))) || saysStolenData(place)

const bare = (place: string) => place.replace(/^[${<[(%]+|[}>\])%]+$/g, "")

/** Base64 of more than a word, or text that is encoded for a URL. */
export const readsAsOpaque = (value: string): boolean =>
  (value.length >= 24 &&
    /^[\w+/=-]+(?:%3D)*$/.test(value) &&
    /[a-z]/.test(value) &&
    /[A-Z]/.test(value) &&
    /\d/.test(value)) ||
  (value.match(/[\w.,'-](?:%20|\+)\w/g)?.length ?? 0) >= 3
