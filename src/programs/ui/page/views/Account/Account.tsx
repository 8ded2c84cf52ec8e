/** The view Account, of a person who has logged in: their accounts at servers, their quotas, their connected programs, and their calls of the month. */
import { useState } from "preact/hooks"
import type { MineValue } from "../../../../../schemas/control/Personal.ts"
import { clock, count, day, duration, some } from "../../format.ts"
import { Plain } from "./Plain.tsx"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { useTick } from "../../parts/useTick.ts"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { useAsked } from "../../store/useAsked.ts"
import { AccountRow } from "./AccountRow.tsx"

const EVERY_MS = 10_000

const at = (ms: number): string => `${day(ms)} ${clock(ms)}`

const Usage = ({ usage }: { readonly usage: MineValue["usage"] }) => (
  <Plain
    title="Calls of this month"
    empty="None yet."
    columns={["Tool", "Calls", "Not ok", "Time"]}
    rows={usage.map(({ calls, durationMs, errors, tool }) => [tool, count(calls), count(errors), duration(durationMs)])}
  />
)

export const Account = () => {
  const { gateway, hello } = useStore()
  const { again, error, value } = useAsked("Mine", undefined, [useTick(EVERY_MS)])
  const [said, setSaid] = useState("")
  const [url, setUrl] = useState<{ readonly server: string; readonly url: string }>()

  const connect = async (server: string) => {
    try {
      setUrl({ server, ...(await gateway.ask("ConnectAccount", { server })) })
    } catch (reason) {
      setSaid(wordsOf(reason))
    }
  }
  const disconnect = async (server: string) => {
    try {
      await gateway.ask("DisconnectAccount", { server })
      setSaid(`Your account at ${server} is disconnected.`)
      again()
    } catch (reason) {
      setSaid(wordsOf(reason))
    }
  }
  return (
    <>
      <ViewHead title="Account" about={hello.value?.person} />
      <p class="said" role="status">
        {said}
      </p>
      {error === undefined ? null : <p class="problem">{error}</p>}
      {url === undefined ? null : (
        <p class="panel">
          Open{" "}
          <a href={url.url} target="_blank" rel="noreferrer">
            {url.url}
          </a>{" "}
          to connect your account at {url.server}. The address works once.
        </p>
      )}
      {value === undefined ? null : (
        <>
          {value.accounts.length === 0 ? null : (
            <section class="panel" aria-labelledby="accounts-title">
              <h2 id="accounts-title">Your accounts at servers</h2>
              <ul class="list">
                {value.accounts.map((account) => (
                  <AccountRow
                    key={account.server}
                    {...account}
                    connect={(at) => void connect(at)}
                    disconnect={(at) => void disconnect(at)}
                  />
                ))}
              </ul>
            </section>
          )}
          <Plain
            title="Connected programs"
            empty="None."
            columns={["Client", "Program", "Since"]}
            rows={value.sessions.map(({ client, program = "", since }) => [client, program, at(since)])}
          />
          <Plain
            title="Quotas"
            empty="None: you may make as many calls as servers take."
            columns={["Of", "Used", "Limit", "Starts again"]}
            rows={value.quotas.map(({ counts, endsAt, limit, period, used }) => [
              `${counts} a ${period}`,
              count(used),
              some(limit, "call"),
              at(endsAt)
            ])}
          />
          <Usage usage={value.usage} />
        </>
      )}
    </>
  )
}
