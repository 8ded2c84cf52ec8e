/** The plugin for OpenClaw, and its configuration. Defaults and bounds, with their units in the names. */

/**
 * Text of one result that OpenClaw's plugin gives to a model: OpenClaw itself cuts what is longer than this for the smaller
 * models, and would cut the closing boundary with it. The second is what boundaries and notes around it take.
 */
export const OPENCLAW_RESULT_MAX_CHARS = 16_000
export const OPENCLAW_WRAP_CHARS = 1_500
/** Of a result's image, base64 characters: OpenClaw takes no more from a plugin. */
export const OPENCLAW_IMAGE_MAX_CHARS = 5_000_000
/** Calls and their results that are remembered until OpenClaw asks about them. */
export const OPENCLAW_CALLS_MAX = 256
/** What a configuration of OpenClaw may include: so many levels deep, as OpenClaw has it, and so many files in all. */
export const OPENCLAW_INCLUDE_DEPTH_MAX = 10
export const OPENCLAW_INCLUDES_MAX = 200
/** The port of an OpenClaw gateway that says no other. */
export const OPENCLAW_PORT = 18_789
