/**
 * Reports commands and sentences that send data to a URL: a file with secrets, the output of another command, or data in a
 * host name. Commands that only fetch, or that send what the author wrote, are ordinary. Every expression begins with
 * something rare and examines its surroundings from there.
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

/** Where a command substitution begins: other alternatives never end at one of these signs. */
const openerBefore = (text: string, end: number) =>
  text[end - 1] === "`" ? end - 1 : text[end - 1] === "(" ? end - 2 : undefined

/**
 * Whether a network command precedes an index so closely that what ends there may be its argument. Call it with increasing
 * indexes, so that no part of the text is examined twice.
 */
const senderBefore = (text: string) => {
  /** The last ones found, and up to where the text was examined. */
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

/** The sentence before the URL at `start`, if it sends private data there. */
export const reportSentence = (text: string, start: number, tally: Tally) => {
  if (!text.slice(Math.max(0, start - TO_MAX), start).includes(" to ")) return
  if (SENDS.test(text.slice(Math.max(0, start - SENTENCE_MAX), start))) tally.add("exfilLink", SENTENCE)
}

/** What follows a URL, if it is code that appends data. */
export const reportAppended = (text: string, end: number, tally: Tally) => {
  APPENDED.lastIndex = end
  if (APPENDED.test(text)) tally.add("exfilLink", COMMAND)
}

// ---- commands ----------------------------------------------------------------------------------------------------------

const NO_EXAMPLE = String.raw`(?![\w./\\-]{0,80}\.(?:pub|example|sample))`
/** Files with secrets, from a slash in their path on. Public keys are excluded. */
const PATHS = String.raw`[/\\](?:\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker|bash_history|zsh_history|git-credentials|env|cursor|claude)(?![\w-])|etc\/(?:passwd|shadow)|proc\/(?:self|\d{1,7})\/environ)${NO_EXAMPLE}`
/** The same, and names that need no slash. */
const FILE = String.raw`(?:${PATHS}|(?:id_(?:rsa|ed25519|ecdsa)|mcp\.json|(?<![\w.])\.env(?![\w.-]))${NO_EXAMPLE})`
/** The rest of such a path, before and after. */
const PATH = String.raw`[\w./\\~$%{}-]{0,60}`
const NETWORK = String.raw`(?<![\w-])(?:curl|wget|nc|ncat|netcat|socat|telnet|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\s`
const LOOKUP = String.raw`(?<![\w-])(?:nslookup|dig|drill|ping|Resolve-DnsName|host)\s`
/** By their ends, which are rare and quick to find. */
const SENDERS = new RegExp(String.raw`[cdeglmprt]\s(?<=${NETWORK}|${LOOKUP})`, "g")
/** The longest command substitution, and how far the expressions below look back from its end for such a command. */
const READ_MAX = 210
const SENDER_MAX = 720
/** The longest name of such a command, and how far ahead it is searched. */
const SENDER_CHARS = 20
const BLOCK = 256
/** Commands that read data for another one. */
const READERS = String.raw`(?:cat|base64|env|printenv|tail|head|xxd|tar|gpg|whoami|hostname|id|history|find|grep|Get-Content|gc|type|\[Convert\])(?![\w-])`
const READING = String.raw`${READERS}(?![^)\x60\n]{0,40}(?:version|release|latest|stable|\.pid|changelog|token))`

/**
 * Each alternative begins with one of a few signs, which are quick to find. (A set is tried only where one of its characters
 * occurs; a single character is tried everywhere.)
 */
const SOURCES = [
  // The output of another command, within a URL or as the data.
  String.raw`(?:\$\(|\x60)(?=\s{0,2}${READING})(?<=${NETWORK}[^\n]{0,200}(?:https?:\/\/[^\s"']{1,200}|(?:\s(?:-d|-F|-T|-Body)|--data(?:-\w{1,12})?|--form|--post-data|--body-data)[ =]?["']?[^\s"']{0,60}).{1,2})`,
  // Within a host name.
  String.raw`(?:\$\([^()\n]{1,200}\)|\x60\s{0,2}${READING}[^\x60\n]{0,200}\x60|\$\{?[A-Za-z_]\w{1,40}\}?)(?=\.[a-zA-Z0-9][\w-]{0,62}\.[a-zA-Z]{2})(?<=${LOOKUP}[^\n]{0,200})`,
  // A file with secrets as the data.
  String.raw`[@<]\s?["']?${PATH}${FILE}(?<=${NETWORK}[^\n]{0,200})`,
  String.raw`${PATHS}(?<=${NETWORK}[^\n]{0,200}(?:-T ?|--upload-file[ =]|--post-file[ =]|-InFile |-Body \(?(?:gc|cat|type|Get-Content) )["']?${PATH})`,
  // Such a file, or the environment or history, piped to a command.
  String.raw`[|\x00]\s{0,4}(?:curl|wget|nc|ncat|netcat|socat|telnet)\s(?<=(?:(?<![\w-])(?:env|printenv|history|base64)(?![\w=-])|${FILE})[^\n;|]{0,80}(?:\|[^\n;|]{0,60})?\|\s{0,4}\w{2,6}\s)`
]
const COMMANDS = new RegExp(SOURCES.join("|"), "y")
/** Alternatives that look far back are matched without that first, and checked where a command is near. */
const CANDIDATES = new RegExp([String.raw`(?:\$\(|\x60)(?=\s{0,2}${READERS})`, ...SOURCES.slice(1)].join("|"), "g")

const APPENDED = new RegExp(
  String.raw`["'\x60]\s{0,4}[+.,]\s{0,4}(?:(?:data|json|params)\s{0,2}=\s{0,2})?(?:[\w.]{1,24}\(\s{0,4}){0,3}(?:document\.cookie|localStorage|sessionStorage|(?<=[(=]\s{0,4})(?:os\.environ(?![.[])|process\.env(?![.[]))|open\(\s{0,2}["']${PATH}${FILE})`,
  "y"
)

// ---- sentences ---------------------------------------------------------------------------------------------------------

/** The distance between the word and the URL, and how far back a sentence is read. */
const TO_MAX = 28
const SENTENCE_MAX = 160
const VERBS = "send|post|upload|forward|exfiltrate|transmit|leak|e-?mail|submit|report|copy|deliver|relay"
const PRIVATE =
  "secrets?|credentials?|passwords?|(?:api|access|auth|session|ssh|private) ?(?:keys?|tokens?)|tokens|keys|conversations?|(?:chat|message|browsing) (?:history|log)|history|transcript|env(?:ironment)?(?: variables)?|cookies?|(?:the |all |any )?(?:contents?|text) of|(?:user|personal|private|sensitive|collected|confidential|customer|all|their|its|these|those)(?:'s)? (?:\\w{1,12} )?(?:data|files?|messages|e-?mails|contents?|information|details|documents)|everything|system prompt|memory"
const SENDS = new RegExp(
  String.raw`(?<![\w-])(?:${VERBS})(?:ing)?\s[^.\n]{0,32}?(?<![\w-])(?:${PRIVATE})(?![\w-])(?:[^.\n]|\.(?=\w)){0,40}? to [^\n]{0,24}$`,
  "i"
)
