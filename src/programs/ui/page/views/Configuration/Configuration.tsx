/** The view Configuration: the file, what is wrong with it, and what an edit would change. */
import { ViewHead } from "../../parts/ViewHead.tsx"

export const Configuration = () => (
  <ViewHead title="Configuration" about="the file, what is wrong with it, and what an edit would change" />
)
