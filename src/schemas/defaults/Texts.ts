/** Texts of servers in messages and results. Defaults and limits, with their units in the names. */

/** Untrusted hints of a tool that are kept. */
export const ANNOTATIONS_MAX_DEPTH = 4
export const ANNOTATIONS_MAX_NODES = 64
export const URI_MAX_CHARS = 8 * 1024
/** A name from a server in a diagnostic of ours. */
export const QUOTED_NAME_MAX_CHARS = 80
/** A path that can be copied from an error. */
export const QUOTED_PATH_MAX_CHARS = 200

/**
 * Text after a cut that is cleaned together with the text before it, so that nothing is recognized only in part: the longest
 * secret, in its longest encoding, that is still found at a cut.
 */
export const CUT_MARGIN_CHARS = 8 * 1024
/** How far to look for a margin that still has this length without its invisible characters. */
export const CUT_MARGIN_LOOK_MAX_CHARS = 64 * 1024
/** The share of a long result that is shown from its beginning; the rest is shown from its end. */
export const CUT_HEAD_SHARE = 0.8
/** The maximum length of the note after a description that was cut. */
export const CUT_NOTE_MAX_CHARS = 40
/** A server's own words in an error; the rest of the text is ours and the boundaries. */
export const ERROR_WORDS_MAX_CHARS = 1024

/** A name, title, MIME type or progress message on one line. */
export const LABEL_MAX_CHARS = 200
/** A URI on one line. */
export const SHOWN_URI_MAX_CHARS = 512

/** One rule of a tool policy. */
export const TOOL_RULE_MAX_CHARS = 512

/** The name of a server, tool or resource in the lines above its text. */
export const ORIGIN_MAX_CHARS = 512
/** Where every word is marked: longer runs without white space are marked inside, after this many characters. */
export const MARK_WORD_MAX_CHARS = 16
export const MARK_EVERY_CHARS = 12
/** The sentence in place of a withheld text: findings, their details, and the names in it. */
export const WITHHELD_DETAILS_MAX = 8
export const WITHHELD_DETAIL_MAX_CHARS = 80
export const WITHHELD_NAME_MAX_CHARS = 64
/** A text in which findings are to be located, the lines of it that are examined, and the places that are told. */
export const FINDING_PLACES_TEXT_MAX_CHARS = 64 * 1024
export const FINDING_PLACES_MAX_LINES = 2_000
export const FINDING_PLACES_MAX = 500
