import { playAt } from "./group.ts"
import { ordersOverPipes } from "./overPipes.ts"

playAt("orders-stdio", ordersOverPipes)
