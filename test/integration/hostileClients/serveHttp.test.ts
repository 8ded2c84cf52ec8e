import { playAt } from "./group.ts"
import { serveOverHttp } from "./overHttp.ts"

playAt("serve-http", serveOverHttp)
