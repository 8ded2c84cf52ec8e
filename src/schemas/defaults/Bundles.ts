/** Registries of servers, and bundles (`.mcpb`). Defaults and limits, with their units in the names. */

export const REGISTRY_URL = "https://registry.modelcontextprotocol.io"
/** The description of one server. */
export const REGISTRY_ANSWER_MAX_BYTES = 1024 * 1024
export const REGISTRY_WAIT_MS = 30_000

/** A bundle as a file. */
export const BUNDLE_MAX_BYTES = 256 * 1024 * 1024
export const BUNDLE_DOWNLOAD_MS = 10 * 60 * 1000
/** What it may become on the disk. */
export const BUNDLE_ENTRIES_MAX = 50_000
export const BUNDLE_UNPACKED_MAX_BYTES = 1024 * 1024 * 1024
/** Packed text is seldom smaller than a hundredth; above this size, a bundle that is smaller than that is a bomb. */
export const BUNDLE_RATIO_MAX = 100
export const BUNDLE_RATIO_FREE_BYTES = 16 * 1024 * 1024
export const BUNDLE_MANIFEST_MAX_BYTES = 1024 * 1024
export const BUNDLE_NAME_MAX_CHARS = 1_024
export const BUNDLE_NAME_MAX_BYTES = 255
export const BUNDLE_DEPTH_MAX = 64
/** The signature behind it, with its certificates. */
export const BUNDLE_SIGNATURE_MAX_BYTES = 256 * 1024

/** How long a server that is being added may take to start: its package may have to be downloaded first. */
export const FIRST_START_MS = 180_000
