/** What the field of any value gets. */
import type { Draft } from "./Draft.ts"
import type { Field } from "./Field.ts"

export interface FieldProps {
  readonly label: string
  readonly field: Field
  readonly draft: Draft
  readonly place: string
  readonly isRequired: boolean
  readonly onDraft: (draft: Draft) => void
}
