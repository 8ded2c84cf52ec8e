import { playAt } from "./group.ts"
import { ordersOverHttp } from "./overHttp.ts"

playAt("orders-http", ordersOverHttp)
