/** The servers that other programs have on this machine, to be taken into the text in the editor. */
import { useEffect, useState } from "preact/hooks"
import type { ImportedServer, ImportProposal } from "../../../../../schemas/control/ConfigFile.ts"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"

interface ImportServersProps {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
}

const Row = ({
  isTaken,
  onTaken,
  server
}: {
  readonly server: ImportedServer
  readonly isTaken: boolean
  readonly onTaken: (isTaken: boolean) => void
}) => {
  const { client, file, launch, line, name, remarks, state } = server
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={isTaken}
          disabled={state === "there"}
          onChange={({ currentTarget }) => onTaken(currentTarget.checked)}
        />{" "}
        <strong>{name}</strong> <code>{launch}</code>
      </label>
      <p class="quiet">
        {state === "there" ? "The configuration has it. " : ""}
        {client}, {file}
        {line > 0 ? `:${line}` : ""}
      </p>
      {remarks.map((remark) => (
        <p key={remark} class="note warn">
          {remark}
        </p>
      ))}
    </li>
  )
}

export const ImportServers = ({ onClose, onText, text }: ImportServersProps) => {
  const { gateway } = useStore()
  const [found, setFound] = useState<ImportProposal>()
  const [fault, setFault] = useState<string>()
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    gateway.ask("ProposeImport", { text, take: [] }).then(setFound, (error: unknown) => setFault(wordsOf(error)))
    // What is on the machine does not depend on each letter of the text.
  }, [gateway])

  const take = async (event: Event) => {
    event.preventDefault()
    try {
      onText((await gateway.ask("ProposeImport", { text, take: [...taken] })).text)
    } catch (error) {
      setFault(wordsOf(error))
    }
  }
  const toggle = (name: string) => (isTaken: boolean) => {
    const next = new Set(taken)
    if (isTaken) next.add(name)
    else next.delete(name)
    setTaken(next)
  }
  const left = [...(found?.left ?? []), ...(found?.broken ?? [])]
  return (
    <form class="panel" aria-labelledby="import-title" onSubmit={(event) => void take(event)}>
      <h2 id="import-title">Import from other programs</h2>
      <p role="status" class={fault === undefined ? "quiet" : "bad-text"}>
        {fault ??
          (found === undefined
            ? "Looking for their files…"
            : found.servers.length === 0
              ? "No other program has servers here."
              : "Choose what is written into the text. The files of the other programs stay as they are.")}
      </p>
      <ul class="import-list">
        {found?.servers.map((server) => (
          <Row
            key={`${server.client} ${server.file} ${server.was}`}
            server={server}
            isTaken={taken.has(server.name)}
            onTaken={toggle(server.name)}
          />
        ))}
      </ul>
      {found !== undefined && found.more > 0 ? <p class="note">{found.more} more are not shown.</p> : null}
      {left.length === 0 ? null : (
        <details>
          <summary>{left.length} left where they are</summary>
          <ul>
            {left.map((each, i) => (
              <li key={i}>
                {"name" in each ? `${each.name}, ` : ""}
                {each.client}, {each.file}: {each.message}
              </li>
            ))}
          </ul>
        </details>
      )}
      <div class="actions">
        <button type="submit" class="main" disabled={taken.size === 0}>
          Write {taken.size === 0 ? "them" : taken.size} into the text
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  )
}
