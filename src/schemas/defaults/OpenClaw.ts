/** The plugin for OpenClaw and its configuration. Defaults and limits, with their units in the names. */

/**
 * Text of one result that OpenClaw's plugin gives to a model: OpenClaw cuts longer results for the smaller models, and the
 * closing boundary with them. The second constant is the space for boundaries and notes.
 */
export const OPENCLAW_RESULT_MAX_CHARS = 16_000
export const OPENCLAW_WRAP_CHARS = 1_500
/** Base64 characters of one image: OpenClaw accepts no more from a plugin. */
export const OPENCLAW_IMAGE_MAX_CHARS = 5_000_000
/** Calls and their results that are remembered until OpenClaw asks about them. */
export const OPENCLAW_CALLS_MAX = 256
/** Includes of an OpenClaw configuration: nesting (OpenClaw's own limit) and files in total. */
export const OPENCLAW_INCLUDE_DEPTH_MAX = 10
export const OPENCLAW_INCLUDES_MAX = 200
/** The default port of an OpenClaw gateway. */
export const OPENCLAW_PORT = 18_789
