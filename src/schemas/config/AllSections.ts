/** The sections of a configuration that are ours alone, each in a file of its own. */
import { ORDER } from "../agent/OrderConfig.ts"
import { SERVE } from "../listener/ServeConfig.ts"
import { SECRETS } from "../secret/SecretsConfig.ts"
import { ACP } from "./AcpConfig.ts"
import { AUDIT } from "./AuditConfig.ts"

export const SECTIONS = { secrets: SECRETS, audit: AUDIT, acp: ACP, serve: SERVE, order: ORDER } as const

export const SECTION_NAMES: ReadonlyArray<string> = Object.keys(SECTIONS)
