/** The view Server: one server: its life, its processes, its logs. */
import { ViewHead } from "../../parts/ViewHead.tsx"

export const Server = () => <ViewHead title="Server" about="one server: its life, its processes, its logs" />
