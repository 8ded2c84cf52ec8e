/** The report of `doctor`, and what it needs in addition to the configuration. */
import type { Environment } from "../../../config/Interpolation.ts"

/** `high`: a server, or somebody through it, can do harm now. `medium`: under some conditions. `low`: worth knowing. */
export const SEVERITIES = ["high", "medium", "low"] as const
export type Severity = (typeof SEVERITIES)[number]

export interface DoctorFinding {
  /** Stable from version to version. */
  readonly id: string
  readonly severity: Severity
  /** Empty when it concerns the whole configuration. */
  readonly servers: ReadonlyArray<string>
  /** Paths in the configuration. */
  readonly paths: ReadonlyArray<string>
  /** The weakness. */
  readonly what: string
  /** What the plugin does about it with the settings of `advice`; `null` when it does nothing. */
  readonly plugin: string | null
}

export interface ExaminedServer {
  readonly name: string
  readonly transport: "stdio" | "http" | "sse" | "none"
  readonly enabled: boolean
}

export interface NativeServer extends ExaminedServer {
  readonly entry: unknown
}

export interface DoctorReport {
  readonly servers: ReadonlyArray<ExaminedServer>
  /** The state of the plugin now. */
  readonly plugin: { readonly enabled: boolean; readonly frames: boolean; readonly agents: boolean }
  /** The worst first. */
  readonly findings: ReadonlyArray<DoctorFinding>
  /** Lines for OpenClaw's configuration that fix what the plugin can fix; `null` when there is nothing to add. */
  readonly advice: string | null
}

export interface Surroundings {
  /** The variables for `${VAR}`. */
  readonly env: Environment
  /** Whether a program can be found. */
  readonly hasCommand: (command: string) => boolean
  /** Whether the folder holds a plugin. */
  readonly hasPlugin: (path: string) => boolean
  /** The folder of our plugin, for the advice. */
  readonly pluginFolder: string
}

/** Makes a finding about one server. */
export type Find = (
  id: string,
  severity: Severity,
  what: string,
  plugin: string | null,
  ...keys: ReadonlyArray<string>
) => DoctorFinding
