/** A form for one more server. It only changes the text in the editor: what it means is seen there before it is saved. */
import { useState } from "preact/hooks"
import type { Proposal } from "../../../../../schemas/control/ConfigFile.ts"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { AddFields } from "./AddFields.tsx"
import { type Fields, NO_FIELDS, type ProposedKind, serverOf } from "./proposed.ts"

interface AddServerProps {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
}

const KINDS: ReadonlyArray<readonly [ProposedKind, string]> = [
  ["Command", "A program on this machine"],
  ["Address", "A server at an address"],
  ["Listed", "From the registry"]
]

const Said = ({ fault, proposal }: { readonly proposal: Proposal | undefined; readonly fault: string | undefined }) => (
  <div role="status">
    <ul class="notes">
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
  </div>
)

export const AddServer = ({ onClose, onText, text }: AddServerProps) => {
  const { gateway } = useStore()
  const [fields, setFields] = useState<Fields>(NO_FIELDS)
  const [proposal, setProposal] = useState<Proposal>()
  const [fault, setFault] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const server = serverOf(fields)
  const put = (next: Partial<Fields>) => {
    setFields({ ...fields, ...next })
    // What was proposed for other fields is not written; its questions stay.
    const { text: _, ...asked } = proposal ?? { text: "" }
    setProposal("questions" in asked && next.kind === undefined ? asked : undefined)
  }

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
  return (
    <form class="panel" aria-labelledby="add-title" onSubmit={(event) => void propose(event)}>
      <h2 id="add-title">Add a server</h2>
      <fieldset class="ways">
        <legend class="hidden-text">What it is</legend>
        {KINDS.map(([kind, words]) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={fields.kind === kind} onChange={() => put({ kind })} /> {words}
          </label>
        ))}
      </fieldset>
      <AddFields fields={fields} questions={proposal?.questions ?? []} onFields={put} />
      <Said proposal={proposal} fault={fault} />
      <div class="actions">
        {proposal?.text === undefined ? (
          <button type="submit" class="main" disabled={server === undefined || isAsking}>
            {isAsking ? "Asking…" : "Write it into the text"}
          </button>
        ) : (
          <button type="button" class="main" onClick={() => onText(proposal.text!)}>
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
