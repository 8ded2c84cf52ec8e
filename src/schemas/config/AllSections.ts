/** The sections of a configuration that only mcp-live has, each in its own file. */
import { ORDER } from "../agent/OrderConfig.ts"
import { SERVE } from "../listener/ServeConfig.ts"
import { SECRETS } from "../secret/SecretsConfig.ts"
import { FLEET } from "../fleet/FleetConfig.ts"
import { TELEMETRY } from "../telemetry/TelemetryConfig.ts"
import { ACP } from "./AcpConfig.ts"
import { AUDIT } from "./AuditConfig.ts"
import { LOGS } from "./LogsConfig.ts"
import { RELOAD } from "./ReloadConfig.ts"
import { UI } from "./UiConfig.ts"

export const SECTIONS = {
  secrets: SECRETS,
  audit: AUDIT,
  acp: ACP,
  serve: SERVE,
  order: ORDER,
  reload: RELOAD,
  logs: LOGS,
  telemetry: TELEMETRY,
  ui: UI,
  fleet: FLEET
} as const

export const SECTION_NAMES: ReadonlyArray<string> = Object.keys(SECTIONS)
