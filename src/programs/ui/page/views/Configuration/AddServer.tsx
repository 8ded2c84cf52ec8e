/** A form for one more server. It only changes the text in the editor: what it means is seen there before it is saved. */
import { useState } from "preact/hooks"
import type { Proposal, ProposedServer } from "../../../../../schemas/control/ConfigFile.ts"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { splitWords } from "./words.ts"

interface AddServerProps {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
}

type Kind = ProposedServer["_tag"]
interface Fields {
  readonly name: string
  readonly command: string
  readonly url: string
  readonly listed: string
  readonly values: Readonly<Record<string, string>>
}

const KINDS: ReadonlyArray<readonly [Kind, string]> = [
  ["Command", "A program on this machine"],
  ["Address", "A server at an address"],
  ["Listed", "From the registry"]
]

/** `undefined` while something is missing. */
const serverOf = (kind: Kind, { command, listed, name, url, values }: Fields): ProposedServer | undefined => {
  const [first, ...rest] = splitWords(command)
  if (kind === "Command")
    return first === undefined || name === "" ? undefined : { _tag: kind, name, words: [first, ...rest], env: [] }
  if (kind === "Address")
    return url === "" || name === "" ? undefined : { _tag: kind, name, url, headers: [], allowPrivate: false }
  return listed === "" ? undefined : { _tag: kind, what: listed, values, ...(name === "" ? {} : { name }) }
}

export const AddServer = ({ onClose, onText, text }: AddServerProps) => {
  const { gateway } = useStore()
  const [kind, setKind] = useState<Kind>("Command")
  const [fields, setFields] = useState<Fields>({ name: "", command: "", url: "", listed: "", values: {} })
  const [proposal, setProposal] = useState<Proposal>()
  const [fault, setFault] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const put = (next: Partial<Fields>) => setFields({ ...fields, ...next })
  const server = serverOf(kind, fields)

  const propose = async (event: Event) => {
    event.preventDefault()
    if (server === undefined || isAsking) return
    setAsking(true)
    setFault(undefined)
    try {
      const made = await gateway.ask("ProposeServer", { text, server })
      if (made.text !== undefined && made.unusual.length === 0 && made.notes.length === 0) return onText(made.text)
      setProposal(made)
    } catch (error) {
      setFault(wordsOf(error))
    } finally {
      setAsking(false)
    }
  }
  const input = (label: string, key: "name" | "command" | "url" | "listed", hint: string) => (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        value={fields[key]}
        placeholder={hint}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => put({ [key]: currentTarget.value })}
      />
    </label>
  )

  return (
    <form class="panel" aria-labelledby="add-title" onSubmit={(event) => void propose(event)}>
      <h2 id="add-title">Add a server</h2>
      <fieldset class="choices">
        <legend class="hidden-text">What it is</legend>
        {KINDS.map(([each, words]) => (
          <label key={each}>
            <input
              type="radio"
              name="kind"
              checked={kind === each}
              onChange={() => {
                setKind(each)
                setProposal(undefined)
              }}
            />{" "}
            {words}
          </label>
        ))}
      </fieldset>
      <div class="fields">
        {kind === "Command" ? input("Command", "command", "npx -y @scope/server ~/notes") : null}
        {kind === "Address" ? input("Address", "url", "https://example.com/mcp") : null}
        {kind === "Listed" ? input("Name in the registry", "listed", "io.github.user/server") : null}
        {input(kind === "Listed" ? "Name here (if it should be another)" : "Name", "name", "notes")}
        {proposal?.questions.map(({ about, choices, isRequired, isSecret, key }) => (
          <label key={key} class="field">
            <span>
              {key}
              {isRequired ? " (required)" : ""}
            </span>
            <input
              type="text"
              list={choices === undefined ? undefined : `choices-${key}`}
              required={isRequired}
              value={fields.values[key] ?? ""}
              placeholder={isSecret ? "secret://file/…" : ""}
              aria-describedby={`about-${key}`}
              onInput={({ currentTarget }) => put({ values: { ...fields.values, [key]: currentTarget.value } })}
            />
            {choices === undefined ? null : (
              <datalist id={`choices-${key}`}>
                {choices.map((choice) => (
                  <option key={choice} value={choice}>
                    {choice}
                  </option>
                ))}
              </datalist>
            )}
            <small class="quiet" id={`about-${key}`}>
              {about}
              {isSecret ? " It is a secret: give a reference to where it is stored." : ""}
            </small>
          </label>
        ))}
      </div>
      <ul role="status" class="notes">
        {fault === undefined ? null : <li class="note bad">{fault}</li>}
        {proposal?.about.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {proposal?.unusual.map((line) => (
          <li key={line} class="note warn">
            It {line}
          </li>
        ))}
        {proposal?.notes.map((line) => (
          <li key={line} class="note">
            {line}
          </li>
        ))}
      </ul>
      <div class="actions">
        {proposal?.text === undefined ? (
          <button type="submit" class="primary" disabled={server === undefined || isAsking}>
            {isAsking ? "Asking…" : "Write it into the text"}
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => onText(proposal.text!)}>
            Write it into the text all the same
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  )
}
