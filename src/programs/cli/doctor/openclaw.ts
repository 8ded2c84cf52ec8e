/**
 * Reports the weaknesses of OpenClaw's own MCP in a configuration, and what our plugin does about them. It reads files, starts nothing
 * and contacts nobody.
 */
import * as Effect from "effect/Effect"
import { ERROR_TEXT_MAX_CHARS } from "../../../schemas/defaults/Results.ts"
import type { DoctorFinding, DoctorReport } from "../../../schemas/agent/openclaw/doctor/report.ts"
import { clip, table } from "../../../schemas/content/Rendering.ts"
import { OpenClawConfig } from "../../../services/config/OpenClawConfig.ts"
import { inPackage } from "../../../system/ownPackage.ts"
import { EXIT_FAILED, ExitWith, root } from "../command.ts"
import { print, printJson } from "../output.ts"
import { USUAL } from "./bareFlags.ts"

/** In the package, where the build puts it. */
const pluginFolder = () => inPackage("dist/openclaw-plugin")

/** Names may contain anything, so characters that move the cursor or are invisible are replaced. */
const shown = (text: string) => clip(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd"), ERROR_TEXT_MAX_CHARS)

const about = ({ servers }: DoctorFinding) => (servers.length === 0 ? "" : ` [${servers.map(shown).join(", ")}]`)

const renderFinding = (finding: DoctorFinding): string =>
  [
    `${finding.severity.toUpperCase()} ${finding.id}${about(finding)}`,
    `  ${shown(finding.what)}`,
    ...finding.paths.map((path) => `  at ${shown(path)}`),
    `  plugin: ${finding.plugin === null ? "does nothing about it" : shown(finding.plugin)}`
  ].join("\n")

const renderServers = ({ servers }: DoctorReport): string =>
  servers.length === 0
    ? "No MCP servers are configured under mcp.servers."
    : table([
        ["SERVER", "TRANSPORT", "ENABLED"],
        ...servers.map(({ enabled, name, transport }) => [shown(name), transport, enabled ? "yes" : "no"])
      ])

const pluginLine = ({ plugin: { agents, enabled, frames } }: DoctorReport): string =>
  enabled
    ? `The plugin is enabled: it ${frames ? "frames results" : "does not frame results"}, and has ${agents ? "servers of its own" : "no servers of its own"}.`
    : "The plugin is not enabled."

const render = (file: string, report: DoctorReport): string =>
  [
    `${shown(file)}\n${renderServers(report)}\n${pluginLine(report)}`,
    ...report.findings.map(renderFinding),
    report.findings.length === 0
      ? "No weaknesses found."
      : `${report.findings.length} found, ${report.findings.filter(({ plugin }) => plugin !== null).length} of them fixed or reduced by the plugin.`,
    ...(report.advice === null ? [] : [`Lines for ${shown(file)}:\n${report.advice}`])
  ].join("\n\n")

/** Reads the configuration and examines it. */
export const openclawReport = Effect.fnUntraced(function* (path: string | undefined) {
  const [{ layer }, { examine }] = yield* Effect.promise(() =>
    Promise.all([
      import("../../../layers/config/OpenClawConfig.ts"),
      import("../../../schemas/agent/openclaw/Doctor.ts")
    ])
  )
  return yield* OpenClawConfig.use(({ hasCommand, hasPlugin, load }) =>
    Effect.map(load(path), ({ file, files, value }) => ({
      files: { file, files },
      report: examine(value, { env: process.env, hasCommand, hasPlugin, pluginFolder: pluginFolder() })
    }))
  ).pipe(Effect.provide(layer()))
})

/** `doctor --openclaw PATH`: only OpenClaw's configuration, whoever else has one. */
export const aboutOpenClaw = Effect.fnUntraced(function* (path: string) {
  const { json } = yield* root
  const { files, report } = yield* openclawReport(path === USUAL ? undefined : path)
  const ok = report.findings.length === 0
  yield* json ? printJson({ ok, ...files, ...report }) : print(render(files.file, report))
  if (!ok) return yield* new ExitWith({ code: EXIT_FAILED })
})
