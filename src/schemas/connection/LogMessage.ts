/** One message for a client's log, at one of the levels of RFC 5424. */
import type { Json } from "../data/Json.ts"

/** The least severe first. */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LogMessage {
  readonly level: LogLevel
  /** Text, or any other JSON value. */
  readonly data: Json
  /** The part of the program that logs it. */
  readonly logger?: string | undefined
}

export const isLogLevel = (value: unknown): value is LogLevel => LOG_LEVELS.some((level) => level === value)

/** Whether a level is at least as severe as `least`. */
export const reaches = (level: LogLevel, least: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
