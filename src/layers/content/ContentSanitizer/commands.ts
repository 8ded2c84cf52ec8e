/**
 * Reports commands and sentences that send data to an address: with a file that holds secrets, with what another command
 * reads, or within the name of a host. Commands that only fetch, or that send what the writer names, are ordinary. Every
 * expression begins with what is rare, and looks around from there.
 */
import type { Tally } from "./tally.ts"

const COMMAND = "command that sends data to an address"
const SENTENCE = "sending data to an address"

export const reportCommands = (text: string, tally: Tally) => {
  let isNear: ((index: number) => boolean) | undefined
  CANDIDATES.lastIndex = 0
  while (CANDIDATES.test(text)) {
    const opener = openerBefore(text, CANDIDATES.lastIndex)
    if (opener === undefined) tally.add("exfilLink", COMMAND)
    else if ((isNear ??= senderBefore(text))(opener + READ_MAX)) {
      COMMANDS.lastIndex = opener
      if (!COMMANDS.test(text)) continue
      tally.add("exfilLink", COMMAND)
      CANDIDATES.lastIndex = COMMANDS.lastIndex
    }
  }
}

/** Where a command begins that another one reads: nothing else is matched up to one of these signs. */
const openerBefore = (text: string, end: number) =>
  text[end - 1] === "`" ? end - 1 : text[end - 1] === "(" ? end - 2 : undefined

/**
 * Whether a command that speaks to a network stands so shortly before an index that what ends there may be its argument. Asked
 * in the order of the text, so that no part of it is looked through again.
 */
const senderBefore = (text: string) => {
  /** The last ones found, up to where it was looked. */
  let [found, last, looked] = [NONE, -SENDER_MAX, 0]
  return (index: number) => {
    if (index > looked) {
      last = found.at(-1) ?? last
      const start = Math.max(0, looked - SENDER_CHARS, index - SENDER_MAX)
      looked = index + BLOCK
      found = sendersIn(text.slice(start, looked), start)
    }
    last = found.findLast((sender) => sender <= index) ?? last
    return index - last < SENDER_MAX
  }
}
const NONE: ReadonlyArray<number> = []

const sendersIn = (block: string, start: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  SENDERS.lastIndex = 0
  while (SENDERS.test(block)) found.push(start + SENDERS.lastIndex)
  return found
}

/** What stands before the address at `start`, when the sentence is one that sends private data there. */
export const reportSentence = (text: string, start: number, tally: Tally) => {
  if (!text.slice(Math.max(0, start - TO_MAX), start).includes(" to ")) return
  if (SENDS.test(text.slice(Math.max(0, start - SENTENCE_MAX), start))) tally.add("exfilLink", SENTENCE)
}

/** What follows an address, when it is a program that appends what it knows. */
export const reportAppended = (text: string, end: number, tally: Tally) => {
  APPENDED.lastIndex = end
  if (APPENDED.test(text)) tally.add("exfilLink", COMMAND)
}

// ---- commands ----------------------------------------------------------------------------------------------------------

const NO_EXAMPLE = String.raw`(?![\w./\\-]{0,80}\.(?:pub|example|sample))`
/** Files that hold secrets, from a slash in their names on. A public key is none. */
const PATHS = String.raw`[/\\](?:\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker|bash_history|zsh_history|git-credentials|env|cursor|claude)(?![\w-])|etc\/(?:passwd|shadow)|proc\/(?:self|\d{1,7})\/environ)${NO_EXAMPLE}`
/** The same, and those that need no slash. */
const FILE = String.raw`(?:${PATHS}|(?:id_(?:rsa|ed25519|ecdsa)|mcp\.json|(?<![\w.])\.env(?![\w.-]))${NO_EXAMPLE})`
/** The rest of such a name, before and behind. */
const PATH = String.raw`[\w./\\~$%{}-]{0,60}`
const NETWORK = String.raw`(?<![\w-])(?:curl|wget|nc|ncat|netcat|socat|telnet|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\s`
const LOOKUP = String.raw`(?<![\w-])(?:nslookup|dig|drill|ping|Resolve-DnsName|host)\s`
/** By their ends, which are few and quick to find. */
const SENDERS = new RegExp(String.raw`[cdeglmprt]\s(?<=${NETWORK}|${LOOKUP})`, "g")
/** What another command reads is no longer; and no expression below looks further back from its end for such a command. */
const READ_MAX = 210
const SENDER_MAX = 720
/** No name of one is longer; and how far it is looked for them ahead. */
const SENDER_CHARS = 20
const BLOCK = 256
/** Commands that read data for another one. */
const READERS = String.raw`(?:cat|base64|env|printenv|tail|head|xxd|tar|gpg|whoami|hostname|id|history|find|grep|Get-Content|gc|type|\[Convert\])(?![\w-])`
const READING = String.raw`${READERS}(?![^)\x60\n]{0,40}(?:version|release|latest|stable|\.pid|changelog|token))`

/**
 * Each alternative begins with one of few signs, which are quick to find. (Where it is a set: an expression that begins with
 * a set is tried only where a character of it stands; one that begins with a single character is tried everywhere.)
 */
const SOURCES = [
  // What another command reads, within an address or as what is sent.
  String.raw`(?:\$\(|\x60)(?=\s{0,2}${READING})(?<=${NETWORK}[^\n]{0,200}(?:https?:\/\/[^\s"']{1,200}|(?:\s(?:-d|-F|-T|-Body)|--data(?:-\w{1,12})?|--form|--post-data|--body-data)[ =]?["']?[^\s"']{0,60}).{1,2})`,
  // Within the name of a host.
  String.raw`(?:\$\([^()\n]{1,200}\)|\x60\s{0,2}${READING}[^\x60\n]{0,200}\x60|\$\{?[A-Za-z_]\w{1,40}\}?)(?=\.[a-zA-Z0-9][\w-]{0,62}\.[a-zA-Z]{2})(?<=${LOOKUP}[^\n]{0,200})`,
  // A file that holds secrets, as what is sent.
  String.raw`[@<]\s?["']?${PATH}${FILE}(?<=${NETWORK}[^\n]{0,200})`,
  String.raw`${PATHS}(?<=${NETWORK}[^\n]{0,200}(?:-T ?|--upload-file[ =]|--post-file[ =]|-InFile |-Body \(?(?:gc|cat|type|Get-Content) )["']?${PATH})`,
  // Such a file, or everything that a program was told, sent on.
  String.raw`[|\x00]\s{0,4}(?:curl|wget|nc|ncat|netcat|socat|telnet)\s(?<=(?:(?<![\w-])(?:env|printenv|history|base64)(?![\w=-])|${FILE})[^\n;|]{0,80}(?:\|[^\n;|]{0,60})?\|\s{0,4}\w{2,6}\s)`
]
const COMMANDS = new RegExp(SOURCES.join("|"), "y")
/** What looks far back is matched without its look, and looked at again where a command is near. */
const CANDIDATES = new RegExp([String.raw`(?:\$\(|\x60)(?=\s{0,2}${READERS})`, ...SOURCES.slice(1)].join("|"), "g")

const APPENDED = new RegExp(
  String.raw`["'\x60]\s{0,4}[+.,]\s{0,4}(?:(?:data|json|params)\s{0,2}=\s{0,2})?(?:[\w.]{1,24}\(\s{0,4}){0,3}(?:document\.cookie|localStorage|sessionStorage|(?<=[(=]\s{0,4})(?:os\.environ(?![.[])|process\.env(?![.[]))|open\(\s{0,2}["']${PATH}${FILE})`,
  "y"
)

// ---- sentences ---------------------------------------------------------------------------------------------------------

/** Between the word and the address, and as far back as a sentence is read. */
const TO_MAX = 28
const SENTENCE_MAX = 160
const VERBS = "send|post|upload|forward|exfiltrate|transmit|leak|e-?mail|submit|report|copy|deliver|relay"
const PRIVATE =
  "secrets?|credentials?|passwords?|(?:api|access|auth|session|ssh|private) ?(?:keys?|tokens?)|tokens|keys|conversations?|(?:chat|message|browsing) (?:history|log)|history|transcript|env(?:ironment)?(?: variables)?|cookies?|(?:the |all |any )?(?:contents?|text) of|(?:user|personal|private|sensitive|collected|confidential|customer|all|their|its|these|those)(?:'s)? (?:\\w{1,12} )?(?:data|files?|messages|e-?mails|contents?|information|details|documents)|everything|system prompt|memory"
const SENDS = new RegExp(
  String.raw`(?<![\w-])(?:${VERBS})(?:ing)?\s[^.\n]{0,32}?(?<![\w-])(?:${PRIVATE})(?![\w-])(?:[^.\n]|\.(?=\w)){0,40}? to [^\n]{0,24}$`,
  "i"
)
