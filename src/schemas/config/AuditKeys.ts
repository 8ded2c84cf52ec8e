/** Every key that the section `audit` may have, for its reader and for the reference page. */
import { AUDIT_FILE_MAX_BYTES, AUDIT_FILES_MAX } from "../defaults/Audit.ts"
import type { SecretsKeyDoc } from "./SecretsKeys.ts"

export const AUDIT_KEYS = {
  enabled: { type: "boolean", fallback: "true", about: "whether records are written to files" },
  maxBytes: { type: "bytes", fallback: `${AUDIT_FILE_MAX_BYTES}`, about: "of one file; then the next one is begun" },
  maxFiles: {
    type: "number",
    fallback: `${AUDIT_FILES_MAX}`,
    about: "files that are kept, the one that is being written among them"
  }
} satisfies Record<string, SecretsKeyDoc>
