/** Fields in which something is typed: texts, numbers, and JSON by hand. */
import type { FieldOf } from "./Field.ts"
import type { FieldProps } from "./FieldProps.ts"
import { useField } from "./FormContext.ts"

/** Names of texts that have several lines. */
const LONG_NAME = /content|text|body|code|query|message|prompt|markdown|sql|script|patch|diff|html|json|instruction/i
const LONG_CHARS = 200

const isLong = (field: FieldOf<"text" | "number">, label: string, text: string): boolean =>
  field.kind === "text" &&
  field.format === undefined &&
  (text.includes("\n") || LONG_NAME.test(label) || (field.bounds.maxLength ?? 0) > LONG_CHARS) &&
  (field.bounds.maxLength ?? LONG_CHARS) >= LONG_CHARS

/** The default is taken by the server, so it stands there as what happens without a value. */
const hintOf = ({ default: value }: FieldOf<"text" | "number">): string | undefined =>
  value === undefined ? undefined : `if left out: ${typeof value === "string" ? value : JSON.stringify(value)}`

export const TextInput = ({
  field,
  isRequired,
  label,
  onDraft,
  place,
  text
}: Omit<FieldProps, "field"> & { readonly field: FieldOf<"text" | "number">; readonly text: string }) => {
  const { described, id } = useField(place)
  const shared = {
    ...described,
    value: text,
    placeholder: hintOf(field),
    "aria-required": isRequired,
    spellcheck: false,
    autocomplete: "off",
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onDraft({ kind: "text", text: currentTarget.value })
  } as const
  if (isLong(field, label, text)) return <textarea {...shared} rows={3} />
  const examples = field.kind === "text" ? field.examples.filter((example) => typeof example === "string") : []
  return (
    <>
      <input
        {...shared}
        {...(field.kind === "text" && field.format === "date"
          ? ({ type: "date" } as const)
          : ({ type: "text", list: examples.length > 0 ? `${id}-examples` : undefined } as const))}
        inputMode={field.kind === "number" ? (field.isInteger ? "numeric" : "decimal") : "text"}
      />
      {examples.length === 0 ? null : (
        <datalist id={`${id}-examples`}>
          {examples.map((example) => (
            <option key={example} value={example}>
              {example}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}

export const RawInput = ({ onDraft, place, text }: FieldProps & { readonly text: string }) => {
  const { described } = useField(place)
  return (
    <textarea
      {...described}
      class="code"
      rows={Math.min(16, Math.max(3, text.split("\n").length))}
      value={text}
      placeholder="JSON"
      spellcheck={false}
      onInput={({ currentTarget }) => onDraft({ kind: "raw", text: currentTarget.value })}
    />
  )
}
