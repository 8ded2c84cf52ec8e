/** What doctor says, and what it has to know beside the configuration. */
import type { Environment } from "../../../config/Interpolation.ts"

/** `high`: a server, or whoever speaks through it, can do harm now. `medium`: it may. `low`: it is worth knowing. */
export const SEVERITIES = ["high", "medium", "low"] as const
export type Severity = (typeof SEVERITIES)[number]

export interface DoctorFinding {
  /** Stays what it is from version to version. */
  readonly id: string
  readonly severity: Severity
  /** Empty when it is about the configuration as a whole. */
  readonly servers: ReadonlyArray<string>
  /** Keys of the configuration. */
  readonly paths: ReadonlyArray<string>
  /** What is open. */
  readonly what: string
  /** What the plugin does about it, with the settings of `advice`; `null` when it does nothing. */
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
  /** Whether the plugin is there, and what it does now. */
  readonly plugin: { readonly enabled: boolean; readonly frames: boolean; readonly agents: boolean }
  /** The worst first. */
  readonly findings: ReadonlyArray<DoctorFinding>
  /** Lines for OpenClaw's configuration that close what the plugin can close; `null` when there is nothing to add. */
  readonly advice: string | null
}

export interface Surroundings {
  /** With which `${VAR}` is read. */
  readonly env: Environment
  /** Whether a program can be found. */
  readonly hasCommand: (command: string) => boolean
  /** Whether there is a folder with a plugin in it. */
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
