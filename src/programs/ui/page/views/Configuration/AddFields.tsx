/** The fields of the form for one more server: those of its kind, and what a server of the registry asks for. */
import type { ProposedQuestion } from "../../../../../schemas/control/ConfigFile.ts"
import type { Fields, ProposedKind } from "./proposed.ts"

type TextKey = "command" | "cwd" | "env" | "headers" | "listed" | "name" | "url"

interface AddFieldsProps {
  readonly fields: Fields
  readonly questions: ReadonlyArray<ProposedQuestion>
  readonly onFields: (next: Partial<Fields>) => void
}

interface Field {
  readonly key: TextKey
  readonly label: string
  readonly hint: string
  readonly isLong?: boolean
}

const FIELDS: Readonly<Record<ProposedKind, ReadonlyArray<Field>>> = {
  Command: [
    { key: "command", label: "Command", hint: "npx -y @scope/server ~/notes" },
    { key: "name", label: "Name", hint: "notes" },
    { key: "env", label: "Environment variables, one a line", hint: "TOKEN=secret://file/token", isLong: true },
    { key: "cwd", label: "Working directory (if another)", hint: "~/notes" }
  ],
  Address: [
    { key: "url", label: "Address", hint: "https://example.com/mcp" },
    { key: "name", label: "Name", hint: "notes" },
    { key: "headers", label: "Headers, one a line", hint: "Authorization: Bearer secret://file/token", isLong: true }
  ],
  Listed: [
    { key: "listed", label: "Name in the registry", hint: "io.github.user/server" },
    { key: "name", label: "Name here (if another)", hint: "notes" }
  ]
}

const Question = ({
  fields,
  onFields,
  question
}: Omit<AddFieldsProps, "questions"> & { readonly question: ProposedQuestion }) => {
  const { about, choices, isRequired, isSecret, key } = question
  return (
    <label class="field">
      <span>
        {key}
        {isRequired ? " (required)" : ""}
      </span>
      <input
        type="text"
        list={choices === undefined ? undefined : `choices-${key}`}
        required={isRequired}
        value={fields.values[key] ?? question.default ?? ""}
        placeholder={isSecret ? "secret://file/…" : ""}
        aria-describedby={`about-${key}`}
        onInput={({ currentTarget }) => onFields({ values: { ...fields.values, [key]: currentTarget.value } })}
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
  )
}

export const AddFields = ({ fields, onFields, questions }: AddFieldsProps) => (
  <div class="fields">
    {FIELDS[fields.kind].map(({ hint, isLong, key, label }) => {
      const common = {
        value: fields[key],
        placeholder: hint,
        spellcheck: false,
        onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
          onFields({ [key]: event.currentTarget.value })
      }
      return (
        <label key={key} class="field">
          <span>{label}</span>
          {isLong === true ? <textarea rows={2} {...common} /> : <input type="text" autocomplete="off" {...common} />}
        </label>
      )
    })}
    {fields.kind === "Address" ? (
      <label>
        <input
          type="checkbox"
          checked={fields.allowPrivate}
          onChange={({ currentTarget }) => onFields({ allowPrivate: currentTarget.checked })}
        />{" "}
        It may be in a private network
      </label>
    ) : null}
    {questions.map((question) => (
      <Question key={question.key} question={question} fields={fields} onFields={onFields} />
    ))}
  </div>
)
