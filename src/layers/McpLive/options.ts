/** Slips in the options of `McpLive`, found before anything is built: they throw a `TypeError` that names the option. */
import * as Layer from "effect/Layer"
import { SEPARATORS } from "../../schemas/call/Names.ts"
import { isObject } from "../../schemas/data/Json.ts"
import * as Options from "../../system/optionChecks.ts"
import type { McpLiveOptions, Replacements } from "../McpLive.ts"

const STYLES = ["gateway", "session", "library"]

const naming: Options.Check = {
  ...Options.oneOf(STYLES),
  holds: (value) =>
    STYLES.some((style) => style === value) ||
    (isObject(value) && SEPARATORS.some((separator) => separator === value["separator"]))
}

const layer: Options.Check = { holds: Layer.isLayer, must: "a Layer" }

const OPTIONS: Readonly<Record<keyof McpLiveOptions, Options.Check>> = {
  config: Options.text,
  agent: Options.text,
  naming,
  host: Options.object,
  freezeTools: Options.flag,
  runtimeTools: Options.flag,
  firstWaitMs: Options.milliseconds,
  dataDirectory: Options.text,
  login: Options.callback,
  approve: Options.callback,
  apart: Options.callback,
  narrow: Options.callback,
  replace: Options.object
}

const REPLACEMENTS: Readonly<Record<keyof Replacements, Options.Check>> = {
  config: layer,
  redactor: layer,
  secrets: layer,
  sanitizer: layer,
  models: layer,
  host: layer,
  network: layer,
  connector: layer,
  tokens: layer,
  authorizer: layer,
  policy: layer,
  ledger: layer,
  approvals: layer,
  limiter: layer,
  store: layer,
  bridge: layer,
  resources: layer,
  prompts: layer,
  audit: layer
}

export const checkOptions = (options: McpLiveOptions): void => {
  Options.checkMembers("McpLive", "options", options, OPTIONS)
  if (options.replace !== undefined) Options.checkMembers("McpLive", "options.replace", options.replace, REPLACEMENTS)
}
