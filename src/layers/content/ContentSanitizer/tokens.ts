/**
 * The special tokens of chat templates: their form in the view of a text, and their spellings in plain ASCII. The names of
 * many models; `_` and `~` stand for any sign and any letter.
 */

const KNOWN = [
  "im[_ ](?:start|end|sep|user|system|assistant|middle)",
  "(?:start|end)[_ ]of[_ ](?:turn|image|text|role|audio|utterance)(?:[_ ]token)?",
  "(?:begin|end)[_ ]?of[_ ]?(?:text|sentence|prompt|file|message)",
  "(?:start|end)[_ ]header[_ ]id",
  "fim[_ ](?:prefix|middle|suffix|pad)",
  "reserved[_ ](?:special[_ ]token[_ ])?[0-9]{1,6}",
  "unused[_ ]?[0-9]{1,6}",
  "extra[_ ]id[_ ][0-9]{1,6}",
  "seed_(?:bos|eos|pad|think|tool_call)",
  "special_[0-9]{1,4}",
  "eot[_ ]id|eom[_ ]id|python[_ ]tag|endoftext|endofprompt|endofturn|(?:bos|eos)(?:_token)?|eot|eom|sop|eop|eoh|eoa|unk"
].join("|")
const ROLES =
  "system|user|assistant|human|tool|model|observation|developer|end|start|channel|message|return|call|constrain|pad|sep"
/** Between square brackets. */
const SQUARE = "inst|[gs]mask|system[_ ]prompt|available[_ ]tools|tool[_ ](?:calls|results|content)|think"
/** With one bar. */
const HALF_BARRED = "turn|tool|tool_call|tool_response|channel|think|image|audio|video"

const SOURCES = [
  String.raw`<\|[a-z0-9~&%_]{1,64}\|>`, // Any name between bars, because every template has its own.
  String.raw`<[ _]{0,3}\|[ _]{0,3}(?:${KNOWN}|${ROLES})[ _]{0,3}\|[ _]{0,3}>`,
  String.raw`<\|(?:${HALF_BARRED})>|<(?:${HALF_BARRED})\|>`,
  String.raw`<[ ]?/?[ ]?(?:${KNOWN})[ ]?/?>`,
  String.raw`<[ ]?<[ ]?/?[ ]?sys[ ]?>[ ]?>`,
  String.raw`\[[ ]?/?[ ]?(?:${SQUARE})[ ]?\]`,
  String.raw`\[\|(?:system|user|assistant|tool|endofturn)\|\]`
]

/** Struck-out text in HTML: matched in order to be skipped. */
const STRUCK_OUT = String.raw`<s>(?:[^<>[\n]|\[(?![ ]?/?[ ]?(?:${SQUARE}|\|))){1,500}</s>`

/** In the view. */
export const TOKEN = new RegExp([...SOURCES, STRUCK_OUT, "</?s>"].join("|"), "g")

/** In the view, without the token that is also HTML. */
export const CERTAIN_TOKEN = new RegExp(SOURCES.join("|"))

/** The maximum length of a token in the view. */
export const TOKEN_MAX = 96

/** The spellings of a character of the view in plain ASCII. */
const SPELLINGS: Record<string, string> = {
  "[_ ]": String.raw`[^a-z0-9<>[\]{}|/=",\n\r@$]`,
  "[ _]": String.raw`[^a-z0-9<>[\]{}|/=",\n\r@$]`,
  _: String.raw`[^a-z0-9<>[\]{}|/=",\s@$]`,
  "[ ]": String.raw`[ \t]`,
  "[a-z0-9~&%_]": String.raw`[^<>[\]{}|/=",\s]`,
  "[gs]": "[gs$]",
  a: "[a@]",
  s: "[s$]"
}

/** The same in plain ASCII. */
export const PLAIN_TOKEN = new RegExp(
  SOURCES.join("|").replace(/\[[^\]]*\]|\\.|[as_]/g, (part) => SPELLINGS[part] ?? part),
  "i"
)
