/** The view Server: one server: its state, its life, its processes, what it writes, and what it says about itself. */
import { StateBadge } from "../../parts/StateBadge.tsx"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { addressOf } from "../../router.ts"
import { useRouter, useStore } from "../../store/context.ts"
import { useAsked } from "../../store/useAsked.ts"
import { About } from "./About.tsx"
import { Actions } from "./Actions.tsx"
import { Facts } from "./Facts.tsx"
import { Life } from "./Life.tsx"
import { Log } from "./Log.tsx"
import { Processes } from "./Processes.tsx"

const Choice = ({ names, server }: { readonly names: ReadonlyArray<string>; readonly server: string }) => {
  const { go } = useRouter()
  return (
    <label>
      Server{" "}
      <select value={server} onChange={({ currentTarget }) => go({ view: "server", name: currentTarget.value })}>
        {(names.includes(server) ? names : [server, ...names]).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

const One = ({ names, server }: { readonly server: string; readonly names: ReadonlyArray<string> }) => {
  const { figures, mayChange, statuses } = useStore()
  const status = statuses.value?.[server]
  // The figures come every few seconds.
  const { error, value } = useAsked("Server", { server }, [figures.value, status?.state])
  return (
    <>
      <ViewHead title={server} about="State, history, processes and log of one server">
        <Choice server={server} names={names} />
        {value === undefined || !mayChange.value ? null : <Actions view={value} />}
      </ViewHead>
      {value === undefined ? (
        <p role="status" class="quiet">
          {error ?? "Reading…"}
        </p>
      ) : (
        <>
          <Facts view={value} />
          <div class="halves">
            <Life server={server} state={status?.state} restarts={status?.restarts} />
            <Processes processes={value.processes} />
          </div>
          <Log key={server} server={server} />
          <About view={value} />
        </>
      )}
    </>
  )
}

/** Without a name in the address: which one? */
export const Server = () => {
  const { statuses } = useStore()
  const { name } = useRouter().route.value
  const names = Object.keys(statuses.value ?? {})
  if (name !== undefined) return <One key={name} server={name} names={names} />
  return (
    <>
      <ViewHead title="Server" about="State, history, processes and log of one server" />
      {names.length === 0 ? (
        <p class="quiet">No server is configured.</p>
      ) : (
        <ul class="panel links">
          {names.map((each) => (
            <li key={each}>
              <a href={addressOf({ view: "server", name: each })}>{each}</a> <StateBadge of={statuses.value![each]!} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
