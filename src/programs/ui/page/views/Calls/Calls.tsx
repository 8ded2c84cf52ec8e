/** The view Calls: every call as it ends, and its way through the gateway. */
import { ViewHead } from "../../parts/ViewHead.tsx"

export const Calls = () => <ViewHead title="Calls" about="every call as it ends, and its way through the gateway" />
