/** Locates OpenClaw's configuration by OpenClaw's own rules. Pure: the environment is an argument. */
import { isAbsolute, join, resolve } from "node:path"
import type { Environment } from "../../config/Interpolation.ts"

const CONFIG = "openclaw.json"

/** `~/x` is below OpenClaw's home; relative paths start at the working directory. */
const placeOf = (text: string, home: string): string => {
  if (text === "~") return home
  return /^~[\\/]/.test(text) ? join(home, text.slice(2)) : isAbsolute(text) ? text : resolve(text)
}

const set = (value: string | undefined): string | undefined => {
  const text = value?.trim()
  return text === undefined || text === "" || text === "undefined" || text === "null" ? undefined : text
}

const PROFILE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** `.openclaw-work` for the profile `work`. */
const folderOf = (env: Environment): string => {
  const profile = set(env["OPENCLAW_PROFILE"])
  const isOwn = profile !== undefined && PROFILE.test(profile) && profile.toLowerCase() !== "default"
  return isOwn ? `.openclaw-${profile}` : ".openclaw"
}

/**
 * OpenClaw's state folder: `$OPENCLAW_STATE_DIR`, else `.openclaw` in its home (`$OPENCLAW_HOME`, if set); with a profile,
 * `.openclaw-` and its name.
 */
export const openclawStateDirectory = (env: Environment, userHome: string): string => {
  const own = set(env["OPENCLAW_HOME"])
  const home = own === undefined ? userHome : placeOf(own, userHome)
  const state = set(env["OPENCLAW_STATE_DIR"])
  return state === undefined ? join(home, folderOf(env)) : placeOf(state, home)
}

/** The configuration file: `$OPENCLAW_CONFIG_PATH`, else `openclaw.json` in the state folder. */
export const openclawConfigFile = (env: Environment, userHome: string): string => {
  const named = set(env["OPENCLAW_CONFIG_PATH"])
  const own = set(env["OPENCLAW_HOME"])
  const home = own === undefined ? userHome : placeOf(own, userHome)
  return named === undefined ? join(openclawStateDirectory(env, userHome), CONFIG) : placeOf(named, home)
}
