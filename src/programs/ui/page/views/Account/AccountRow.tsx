/** One server at which each person has an account of their own. */
import type { MineValue } from "../../../../../schemas/control/Personal.ts"

type Account = MineValue["accounts"][number]

export interface AccountRowProps extends Account {
  readonly connect: (server: string) => void
  readonly disconnect: (server: string) => void
}

const stateOf = ({ isConnected }: Account): string =>
  isConnected === null ? "it is not known whether it is connected" : isConnected ? "connected" : "not connected"

export const AccountRow = ({ connect, disconnect, ...account }: AccountRowProps) => {
  const { isConnected, server } = account
  return (
    <li>
      <strong>{server}</strong> <span class="quiet">{stateOf(account)}</span>{" "}
      <button type="button" onClick={() => connect(server)}>
        {isConnected === true ? `Connect another account at ${server}` : `Connect my account at ${server}`}
      </button>{" "}
      {isConnected === false ? null : (
        <button type="button" class="danger" onClick={() => disconnect(server)}>
          Disconnect my account at {server}
        </button>
      )}
    </li>
  )
}
