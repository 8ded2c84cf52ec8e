/** Texts of servers in messages and results. Defaults and bounds, with their units in the names. */

/** Untrusted hints of a tool that we are willing to keep. */
export const ANNOTATIONS_MAX_DEPTH = 4
export const ANNOTATIONS_MAX_NODES = 64
export const URI_MAX_CHARS = 8 * 1024
/** A server's word inside a diagnostic of ours. */
export const QUOTED_NAME_MAX_CHARS = 80
/** A path that is to be copied from an error. */
export const QUOTED_PATH_MAX_CHARS = 200

/**
 * Text beyond a cut that is cleaned together with what stays, so that nothing is seen only by half: the longest secret, in
 * its longest encoding, that is still recognised where a result is cut.
 */
export const CUT_MARGIN_CHARS = 8 * 1024
/** How far a margin is sought that still has so much in it when what cannot be seen is taken out. */
export const CUT_MARGIN_LOOK_MAX_CHARS = 64 * 1024
/** Of a result that is too long, the part that goes to its beginning; the rest goes to its end. */
export const CUT_HEAD_SHARE = 0.8
/** What the note behind a description that was cut takes, at most. */
export const CUT_NOTE_MAX_CHARS = 40
/** A server's own words within an error; the rest of the text is ours and the boundaries. */
export const ERROR_WORDS_MAX_CHARS = 1024

/** A name, title, MIME type or progress message that is shown on one line. */
export const LABEL_MAX_CHARS = 200
/** A URI that is shown on one line. */
export const SHOWN_URI_MAX_CHARS = 512

/** One rule of a tool policy. */
export const TOOL_RULE_MAX_CHARS = 512

/** Name of a server, a tool or a resource in the lines above its text. */
export const ORIGIN_MAX_CHARS = 512
/** Where every word is marked: longer runs without white space are marked within, after so many characters. */
export const MARK_WORD_MAX_CHARS = 16
export const MARK_EVERY_CHARS = 12
/** What the sentence in place of a text that is withheld says: findings, their words, and the names in it. */
export const WITHHELD_DETAILS_MAX = 8
export const WITHHELD_DETAIL_MAX_CHARS = 80
export const WITHHELD_NAME_MAX_CHARS = 64
