/** What is said for a client's log: one message, at one of the levels of RFC 5424. */
import type { Json } from "../data/Json.ts"

/** The least severe first. */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LogMessage {
  readonly level: LogLevel
  /** Text, or whatever else there is to say. */
  readonly data: Json
  /** Which part of the program says it. */
  readonly logger?: string | undefined
}

export const isLogLevel = (value: unknown): value is LogLevel => LOG_LEVELS.some((level) => level === value)

/** Whether one who wants to hear from `least` on wants to hear this. */
export const reaches = (level: LogLevel, least: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
