/** What another configuration changes against the one that runs. Pure. */
import * as Schema from "effect/Schema"

const Names = Schema.Array(Schema.String)

/** Servers by name, with their agent in parentheses if it does not concern all agents. */
export const ConfigChange = Schema.Struct({
  /** Servers that another process or connection replaces. */
  restarted: Names,
  started: Names,
  stopped: Names,
  /** What takes effect without a restart, in words: `limits of server files`. */
  inPlace: Names,
  /** What takes effect only when the gateway is started again, by the name of the setting. */
  needsRestart: Names
})
export type ConfigChange = typeof ConfigChange.Type

/** Each kind of change in words, with what it concerns; nothing if nothing changes. */
export const changeParts = ({ inPlace, needsRestart, restarted, started, stopped }: ConfigChange) =>
  (
    [
      ["restart", restarted],
      ["start", started],
      ["stop", stopped],
      ["change in place", inPlace],
      ["need a restart of the gateway", needsRestart]
    ] as const
  ).filter(([, names]) => names.length > 0)

export const changeLines = (change: ConfigChange): ReadonlyArray<string> =>
  changeParts(change).map(([what, names]) => `${what}: ${names.join(", ")}`)
