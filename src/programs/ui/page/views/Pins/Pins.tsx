/** The view Pins: definitions that changed, and what the operator decides about them. */
import { ViewHead } from "../../parts/ViewHead.tsx"

export const Pins = () => (
  <ViewHead title="Pins" about="definitions that changed, and what the operator decides about them" />
)
