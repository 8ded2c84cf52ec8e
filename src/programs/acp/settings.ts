/** The settings of a session that a person can choose, shown to clients as modes and as configuration options. */
import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk"

/** A mode never allows anything that the rules deny. */
const MODES = [
  { id: "default", name: "Default", description: "Your rules say which tools you are asked about" },
  { id: "ask", name: "Ask", description: "You are asked about every tool, except those that you always allow" }
] as const

export type Mode = (typeof MODES)[number]["id"]

export const DEFAULT_MODE: Mode = "default"
export const MODE_OPTION = "mode"
export const AGENT_OPTION = "agent"

export const MODE_IDS: ReadonlyArray<string> = MODES.map(({ id }) => id)

export const readMode = (given: unknown): Mode | undefined => MODES.find(({ id }) => id === given)?.id

export interface Settings {
  readonly mode: Mode
  readonly agent: string
  /** The agents that can be chosen now, including the current one. */
  readonly agents: ReadonlyArray<string>
}

export const modesOf = ({ mode }: Settings): SessionModeState => ({
  currentModeId: mode,
  availableModes: MODES.map((one) => ({ ...one }))
})

/** Includes the mode: clients that know options ignore modes. With one agent there is nothing to choose. */
export const optionsOf = ({ agent, agents, mode }: Settings, severalAgents: boolean): Array<SessionConfigOption> => [
  {
    id: MODE_OPTION,
    name: "Mode",
    category: "mode",
    type: "select",
    currentValue: mode,
    options: MODES.map(({ description, id, name }) => ({ value: id, name, description }))
  },
  ...(severalAgents
    ? [
        {
          id: AGENT_OPTION,
          name: "Agent",
          description: "Whose model, servers and rules; chosen before the first message",
          type: "select" as const,
          currentValue: agent,
          options: agents.map((id) => ({ value: id, name: id }))
        }
      ]
    : [])
]
